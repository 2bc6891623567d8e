"""No rule of ours may crash; where one does, its subject was not judged, and that is said.

The engine makes this finding: it names the rule, the subject and what went wrong. The other rules go on.

A rule that computes for more than 20 s on one subject is given up, and that is no better: nothing is known. Where two
of them were, it is the subject, and the others are not asked of it. It is computing time, whatever else the machine
does; on Windows nobody counts it."""

from __future__ import annotations

from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity

RULE = Rule(
    "rule-crashed",
    severity=Severity.ERROR,
    title="No rule crashed",
    remedy="report the crash with the input that caused it; until then judge without it: --skip-rule RULE",
    about_ourselves=True,
)
