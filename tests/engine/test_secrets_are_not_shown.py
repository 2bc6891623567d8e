"""A rule may show a line of a script; a secret in it is hidden, whatever the rule is."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from nodeworthy.engine import judge
from nodeworthy.rule import Rule
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import Missing, make_scene
from nodeworthy.verdict import Findings, Place, Severity, ToGive, fail

RULE = Rule("loud-line", Severity.ERROR, "A line is loud", "run `docker login -u bot -p N3xus-Deploy x` again")
LINE = "docker login -u bot -p N3xus-Deploy registry.internal"


@dataclass(frozen=True)
class Row:
    place: Place


@RULE.check
def says_its_line(row: Row) -> Findings:
    yield fail(
        row, f"`{LINE}` fails", is_=LINE, should="DB_PASSWORD=hunter2", cause="see https://bot:hunter2@x.example"
    )


def test_nothing_that_is_said_holds_a_secret() -> None:
    (judgement,) = judge([make_scene([Row(Place(path="a"))])], [RULE], CRASHED)
    (found,) = judgement.findings
    assert "hunter2" not in repr(found)
    assert "N3xus" not in repr(found)
    assert found.is_ == "docker login -u bot -p (secret) registry.internal"


@dataclass(frozen=True)
class Pool:
    place: Place


JOINED = Rule("joined-row", Severity.ERROR, "A row has a pool", "give it one")


@JOINED.check
def it_has_one(row: Row, pool: Pool) -> Findings:
    yield fail(row, "it has")


@pytest.mark.parametrize("why", [f"no answer to `{LINE}`", ToGive("nobody asked", f"run `{LINE}`")])
@pytest.mark.parametrize("missing", [Row, Pool])
def test_nor_does_the_reason_of_a_skip(why: str, missing: type[Row | Pool]) -> None:
    facts = [Row(Place(path="a"))] if missing is Pool else []
    (judgement,) = judge([make_scene(facts, {missing: Missing(why)})], [JOINED], CRASHED)
    (told,) = judgement.reasons
    assert "N3xus" not in told
    assert "docker login -u bot -p (secret) registry.internal" in told
    assert isinstance(told, ToGive) is isinstance(why, ToGive)
    if isinstance(told, ToGive):
        assert (told.why, told.give) == ("nobody asked", "run `docker login -u bot -p (secret) registry.internal`")
