"""How long a report of ten thousand findings takes to be written, in each of its formats."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.report import github, html, json, junit, markdown, sarif, text
from nodeworthy.report.report import Report
from nodeworthy.rule import Moment
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Related, Severity, Verdict

FINDINGS = 10_000
FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": json.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "github": github.render,
    "markdown": markdown.render,
    "html": html.render,
}


def slowest_ms() -> float:
    """Of the format that takes longest; each is written three times."""
    report = Report(Moment.SOURCE, tuple(_judged(number) for number in range(FINDINGS)), {"files": 200})
    return max(min(_ms(render, report) for _ in range(3)) for render in FORMATS.values())


def _ms(render: Callable[[Report], str], report: Report) -> float:
    started = time.perf_counter()
    render(report)
    return (time.perf_counter() - started) * 1000


def _judged(number: int) -> Judgement:
    place = Place(path=f"charts/{number % 200}/values.yaml", line=number // 200 + 1, column=3, subject="toolkit.env")
    found = Finding(
        Verdict.FAIL,
        "CONTAINERD_SOCKET is not the socket of the containerd that kubelet uses on pool 'onprem'",
        place,
        is_=f"/run/{number}.sock",
        should="/run/k3s.sock",
        related=(Related(Place(path="Pulumi.onprem.yaml", line=9, column=5), "pool 'onprem' runs k3s"),),
        cause="the operator writes the NVIDIA runtime into the containerd of these paths; kubelet talks to another one",
        remedy="set CONTAINERD_SOCKET in toolkit.env to /run/k3s.sock",
        rule="containerd-paths",
        severity=Severity.ERROR,
    )
    return Judgement(rule("containerd-paths"), Nothing(place), Verdict.FAIL, (found,), suppressed=False, why=None)
