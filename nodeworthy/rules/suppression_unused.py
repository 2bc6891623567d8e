"""A suppression suppresses something, and says why.

A comment without a reason, with an id that does not exist, or where nothing is found any more has no effect.
The engine makes this finding, but not while the rule was skipped, unknown or left out."""

from __future__ import annotations

from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity

RULE = Rule(
    "suppression-unused",
    severity=Severity.WARNING,
    title="Every suppression suppresses something, and says why",
    remedy="remove the comment, or give its rule id and a reason",
    about_ourselves=True,
)
