"""A rule may show a line of a script; a secret in it is hidden, whatever the rule is."""

from __future__ import annotations

from dataclasses import dataclass

from nodeworthy.engine import Scene, judge
from nodeworthy.rule import Rule
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.verdict import Findings, Place, Severity, fail

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
    (judgement,) = judge([Scene([Row(Place(path="a"))])], [RULE], CRASHED)
    (found,) = judgement.findings
    assert "hunter2" not in repr(found)
    assert "N3xus" not in repr(found)
    assert found.is_ == "docker login -u bot -p (secret) registry.internal"
