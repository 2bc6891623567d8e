"""A rule's moments follow from what its checks ask for; nobody writes them down."""

from __future__ import annotations

from nodeworthy.collect.collected import COLLECTED, Facts
from nodeworthy.rule import BoundCheck, Many, Moment, Rule


def moments_of(rule: Rule) -> tuple[Moment, ...]:
    """The moments at which a rule can be proven, in their order. The engine's own findings are made at each."""
    return tuple(
        moment
        for moment, facts in COLLECTED.items()
        if (not rule.checks and rule.about_ourselves) or any(_has_all(check, facts) for check in rule.checks)
    )


def _has_all(check: BoundCheck, facts: Facts) -> bool:
    asked = (check.subject, *(each.type for each in check.context if each.many is not Many.OPTIONAL))
    return all(each in facts for each in asked)
