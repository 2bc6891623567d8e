"""The one failure that a boot told by hand has of profiling-before-driver."""

from __future__ import annotations

from nodeworthy.boot.effects import Effect
from nodeworthy.rules.profiling_before_driver import RULE
from nodeworthy.verdict import Finding
from tests.boot.rules.boots import (
    given,
    judged,
    script,
)

BIG = given("$GPU = h100")


def said(*effects: Effect) -> Finding:
    judgement = judged(RULE, script(*effects))
    assert judgement.verdict == "fail", judgement.findings
    (found,) = judgement.findings
    return found


def lines(found: Finding) -> tuple[int | None, list[int | None]]:
    return found.where.line, [each.place.line for each in found.related]
