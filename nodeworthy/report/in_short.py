"""The whole report in a few words, for a headline."""

from __future__ import annotations

from nodeworthy.report.asked import EVERYTHING, Asked
from nodeworthy.report.counted import numbers
from nodeworthy.report.report import Report

NOTHING = "nothing was evaluated, so nothing is proven"


def in_short(report: Report, asked: Asked = EVERYTHING) -> str:
    counts = numbers(report, asked)
    named = {
        "failure": counts["fail"],
        "error": counts["error"],
        "unknown": counts["unknown"],
        "warning": counts["warning"],
    }
    told = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in named.items() if count]
    if told:
        return ", ".join(told)
    return "clean" if report.evaluated["verdicts"] else "nothing evaluated"
