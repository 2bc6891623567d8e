"""Findings as a reader wants them: the worst outcome first, in it those of the same rule together."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.records import dataclass
from nodeworthy.report.html_text import name
from nodeworthy.report.report import Report
from nodeworthy.report.text import outcome, together
from nodeworthy.verdict import Finding, Verdict

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
    findings: Sequence[Finding]

    @property
    def key(self) -> str:
        return f"{self.outcome}-{'-'.join(self.rules)}"[:200]


def groups_of(report: Report) -> list[Group]:
    found: dict[tuple[str, tuple[str, ...]], list[Finding]] = {}
    for each, rules in together(report.findings):
        if each.verdict is not Verdict.PASS:
            word = "suppressed" if each.suppressed else outcome(each)
            found.setdefault((word, tuple(dict.fromkeys(rules))), []).append(each)
    order = list(CALLED)
    groups = [Group(word, rules, findings) for (word, rules), findings in found.items()]
    return sorted(groups, key=lambda group: (order.index(group.outcome), -len(group.findings), group.rules))


def named(group: Group) -> str:
    return name(group.rules[0]) if len(group.rules) == 1 else f"{len(group.rules)} rules, for one reason"
