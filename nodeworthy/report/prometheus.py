"""A report as gauges in Prometheus' text format: how much was evaluated, with which verdicts, what was found of which
rule and host, and every measurement of a run. Nothing of what a finding quotes is in it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.report.report import Report
from nodeworthy.verdict import Verdict

# Of a test on a node; what was not looked at is never 1.
_PASSED = Verdict.PASS.value
_TOLD = (Verdict.FAIL, Verdict.UNKNOWN, Verdict.ERROR)


def render(report: Report) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    moment = report.moment.value
    yield "# HELP nodeworthy_verdicts Pairs of a rule and what it judged, by verdict."
    yield "# TYPE nodeworthy_verdicts gauge"
    for verdict in Verdict:
        yield _sample(
            "nodeworthy_verdicts", {"moment": moment, "verdict": verdict.value}, report.summary[verdict.value]
        )
    yield "# HELP nodeworthy_evaluated How much was looked at; 0 verdicts prove nothing."
    yield "# TYPE nodeworthy_evaluated gauge"
    for of, count in report.evaluated.items():
        yield _sample("nodeworthy_evaluated", {"moment": moment, "of": of}, count)
    yield from _findings(report)
    runs = report.extra.get("runs", ())
    if runs:
        yield from _tests(runs)
        yield from _measures(runs)


def _findings(report: Report) -> Iterator[str]:
    """The heading stands there also where nothing was found: whoever scrapes it knows that it was looked for."""
    yield "# HELP nodeworthy_findings Findings of a rule, by verdict and severity; of a node with its host."
    yield "# TYPE nodeworthy_findings gauge"
    shown = (each for each in report.findings if not each.suppressed and each.verdict in _TOLD)
    counted = Counter((each.rule, each.verdict, each.severity, each.where.host or "") for each in shown)
    for (rule, verdict, severity, host), count in sorted(counted.items()):
        labels = {"moment": report.moment.value, "rule": rule, "verdict": verdict.value, "severity": severity.value}
        yield _sample("nodeworthy_findings", {**labels, "host": host}, count)


def _tests(runs: Any) -> Iterator[str]:
    yield "# HELP nodeworthy_accept_passed Whether a test passed on a node; not run and not known are 0."
    yield "# TYPE nodeworthy_accept_passed gauge"
    for run in runs:
        for node in run["nodes"]:
            labels = {"test": run["test"], "node": node, "state": run["state"]}
            yield _sample("nodeworthy_accept_passed", labels, int(run["state"] == _PASSED))


def _measures(runs: Any) -> Iterator[str]:
    yield "# HELP nodeworthy_accept_measure What a test measured, in the unit that it says."
    yield "# TYPE nodeworthy_accept_measure gauge"
    for run in runs:
        for each in run["measures"]:
            if isinstance(each["value"], int | float) and math.isfinite(each["value"]):
                at = {f"at_{name}": str(value) for name, value in each["at"].items()}
                labels = {
                    "test": run["test"],
                    "name": each["name"],
                    "unit": each["unit"],
                    "device": each["device"] or "",
                }
                yield _sample("nodeworthy_accept_measure", {**labels, "node": each["node"], **at}, each["value"])


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    told = ",".join(f'{_label(each)}="{_escape(text)}"' for each, text in labels.items())
    return f"{name}{{{told}}} {value}"


def _label(name: str) -> str:
    return "".join(each if each.isascii() and (each.isalnum() or each == "_") else "_" for each in name)


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
