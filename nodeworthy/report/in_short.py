"""The whole report in a few words, for a headline."""

from __future__ import annotations

from nodeworthy.report.report import Report

NOTHING = "nothing was evaluated, so nothing is proven"


def in_short(report: Report) -> str:
    summary = report.summary
    named = {
        "failure": summary["fail"] - summary["warnings"],
        "error": summary["error"],
        "unknown": summary["unknown"],
        "warning": summary["warnings"],
    }
    told = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in named.items() if count]
    if told:
        return ", ".join(told)
    return "clean" if report.evaluated["verdicts"] else "nothing evaluated"
