"""Every rule is seen failing, passing and not knowing; where it can't be unknown, it says why."""

from __future__ import annotations

import pytest

from nodeworthy.rule import Rule
from nodeworthy.rules import catalogue
from tests.case_files import cases_of, every_case

JUDGING = [rule for rule in catalogue() if not rule.about_ourselves]


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.id)
def test_it_has_a_case_of_every_kind(rule: Rule) -> None:
    kinds = {case.kind for case in cases_of(rule.id)}
    needed = {"bad", "good"} if rule.never_unknown else {"bad", "good", "unknown"}
    assert kinds >= needed


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.id)
def test_what_can_be_unknown_is_not_said_to_be_never(rule: Rule) -> None:
    unknown = [case.name for case in cases_of(rule.id, "unknown-")]
    assert not (rule.never_unknown and unknown), f"{rule.id} says {rule.never_unknown!r}, and yet: {unknown}"


def test_every_folder_of_cases_belongs_to_a_rule() -> None:
    ids = {rule.id for rule in catalogue()}
    assert {case.rule for case in every_case()} <= ids


@pytest.mark.parametrize("rule", catalogue(), ids=lambda rule: rule.id)
def test_it_says_what_it_is_about(rule: Rule) -> None:
    assert rule.documentation != rule.title, "the module's docstring is the rule's page"
    assert rule.remedy
    assert not rule.title.endswith(".")
