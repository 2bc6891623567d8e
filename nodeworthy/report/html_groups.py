"""Findings as a reader wants them: the worst outcome first, in it those of the same rule together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from nodeworthy.records import dataclass
from nodeworthy.report.asked import Asked
from nodeworthy.report.counted import outcome
from nodeworthy.report.html_text import name
from nodeworthy.report.report import Report
from nodeworthy.report.together import Told, together
from nodeworthy.verdict import Verdict

CALLED = {
    "fail": "Failures",
    "error": "Errors, which kept something from being judged",
    "unknown": "Unknown, which is no pass",
    "warning": "Warnings",
    "suppressed": "Suppressed",
}


@dataclass(frozen=True)
class Group:
    """Findings of the same outcome and of the same rule, or of all the rules that can't tell for one reason."""

    outcome: str
    rules: tuple[str, ...]
    told: Sequence[Told]

    @property
    def key(self) -> str:
        return f"{self.outcome}-{'-'.join(self.rules)}"[:200]

    @cached_property
    def findings(self) -> int:
        return sum(len(each.findings) for each in self.told)


def groups_of(report: Report, asked: Asked) -> list[Group]:
    found: dict[tuple[str, tuple[str, ...]], list[Told]] = {}
    for each in together(asked.told(report)):
        if each.first.verdict is not Verdict.PASS:
            word = "suppressed" if each.first.suppressed else outcome(each.first)
            found.setdefault((word, tuple(each.rules)), []).append(each)
    order = list(CALLED)
    groups = [Group(word, rules, told) for (word, rules), told in found.items()]
    return sorted(groups, key=lambda group: (order.index(group.outcome), -group.findings, group.rules))


def named(group: Group) -> str:
    return name(group.rules[0]) if len(group.rules) == 1 else f"{len(group.rules)} rules, for one reason"
