"""Nothing that had to be seen stayed unseen.

A core kind that is missing from a dump, a host that was not reached, a component that only a real provider can open:
whatever could not be looked at is named, and never passes.
"""

from __future__ import annotations

from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, draft

RULE = Rule(
    "looked-at",
    severity=Severity.ERROR,
    title="Everything that had to be seen was seen",
    remedy="give access to what could not be seen, and look again",
    about_ourselves=True,
)


@RULE.check
def it_stayed_unseen(unseen: NotLookedAt) -> Findings:
    yield draft(unseen.verdict, unseen, unseen.why, remedy=unseen.remedy or RULE.remedy)
