"""Every rule is seen failing, passing and not knowing; where it can't be unknown, it says why."""

from __future__ import annotations

import pytest

from nodeworthy.rule import Rule
from nodeworthy.rules import catalogue
from tests.architecture.tree import ROOT

CASES = ROOT / "tests" / "cases"
JUDGING = [rule for rule in catalogue() if not rule.about_ourselves]


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.id)
def test_it_has_a_case_of_every_kind(rule: Rule) -> None:
    kinds = {folder.name.split("-")[0] for folder in (CASES / rule.id).glob("*-*")}
    needed = {"bad", "good"} if rule.never_unknown else {"bad", "good", "unknown"}
    assert kinds >= needed


@pytest.mark.parametrize("rule", JUDGING, ids=lambda rule: rule.id)
def test_what_can_be_unknown_is_not_said_to_be_never(rule: Rule) -> None:
    unknown = list((CASES / rule.id).glob("unknown-*"))
    assert not (rule.never_unknown and unknown), f"{rule.id} says {rule.never_unknown!r}, and yet: {unknown}"


def test_every_folder_of_cases_belongs_to_a_rule() -> None:
    ids = {rule.id for rule in catalogue()}
    assert {folder.name for folder in CASES.iterdir() if folder.is_dir()} <= ids


@pytest.mark.parametrize("rule", catalogue(), ids=lambda rule: rule.id)
def test_it_says_what_it_is_about(rule: Rule) -> None:
    assert rule.documentation != rule.title, "the module's docstring is the rule's page"
    assert rule.remedy
    assert not rule.title.endswith(".")
