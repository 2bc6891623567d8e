"""A file found in a folder, or a part of a dump, can be read.

Bad input never ends the run: what can't be read is named with its place, the verdict is `error`, and the rest goes on.
So is a file whose reading computes for more than 20 s, and 10 s more for each MiB of it: it is given up, on all systems
but Windows.

What stands twice in one mapping is read once: of two keys of one name YAML's readers take the last, and what the first
one says is lost without a word, however much it holds. It is told as a warning, where the two do not say the same, of
documents in which there is something to judge. In a template either may be the one that is left: nothing is said.
"""

from __future__ import annotations

from nodeworthy.facts.not_seen import DoubledKey, UnreadableInput
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, error, fail

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


@RULE.check
def nothing_in_it_is_lost(doubled: DoubledKey) -> Findings:
    yield fail(
        doubled,
        f"{doubled.name} stands twice in one mapping: the last one holds, and what the first one says is lost",
        is_=f"{doubled.name}, again",
        should="each key once",
        related=[Related(doubled.lost, "this is lost")],
        cause="Helm, kubectl and whatever else reads YAML here take the last of them, and say nothing",
        remedy=f"put what stands under both into one {doubled.name}",
        severity=Severity.WARNING,
    )
