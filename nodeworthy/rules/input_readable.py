"""A file found in a folder, or a part of a dump, can be read.

Bad input never ends the run: what can't be read is named with its place, the verdict is `error`, and the rest goes on.
So is a file whose reading computes for more than 20 s, and 10 s more for each MiB of it: it is given up, on all systems
but Windows.
"""

from __future__ import annotations

from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, error

RULE = Rule(
    "input-readable",
    severity=Severity.ERROR,
    title="Every input that was found can be read",
    remedy="repair the file, or leave it out of what is looked at",
    about_ourselves=True,
)


@RULE.check
def it_could_not_be_read(unreadable: UnreadableInput) -> Findings:
    yield error(unreadable, unreadable.why, remedy=RULE.remedy)
