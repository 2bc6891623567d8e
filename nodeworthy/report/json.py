"""The report as JSON: the shape of `report.schema.json`."""

from __future__ import annotations

import json
from typing import Any

from nodeworthy.report import offer
from nodeworthy.report.printable import escaped
from nodeworthy.report.report import SCHEMA, Report, place_as_data
from nodeworthy.verdict import Finding, Verdict


def render(report: Report, *, show_passed: bool = False) -> str:
    return escaped(json.dumps(as_data(report, show_passed=show_passed), indent=2, ensure_ascii=False)) + "\n"


def as_data(report: Report, *, show_passed: bool = False) -> dict[str, Any]:
    findings = [{**finding_as_data(each), **_fix(report, each)} for each in report.findings]
    return {
        "schema": SCHEMA,
        "moment": report.moment.value,
        "evaluated": report.evaluated,
        "summary": report.summary,
        "findings": findings + (_passed_and_skipped(report) if show_passed else []),
        **report.extra,
    }


def finding_as_data(finding: Finding) -> dict[str, Any]:
    data: dict[str, Any] = {
        "rule": finding.rule,
        "verdict": finding.verdict.value,
        "severity": finding.severity.value,
        "message": finding.sentence(),
        "is": finding.is_,
        "should": finding.should,
        "where": place_as_data(finding.where),
        "related": [{**place_as_data(each.place), "says": each.says} for each in finding.related],
        "cause": finding.cause,
        "remedy": finding.remedy,
        "victims": list(finding.victims),
        "suppressed": finding.suppressed,
    }
    marks = {"simulated": finding.simulated, "baselined": finding.baselined}
    return {**data, **{name: True for name, on in marks.items() if on}}


def _fix(report: Report, finding: Finding) -> dict[str, Any]:
    offered = report.offer(finding)
    return {"fix": offer.as_data(offered)} if offered is not None else {}


def _passed_and_skipped(report: Report) -> list[dict[str, Any]]:
    quiet = (each for each in report.judgements if each.verdict in (Verdict.PASS, Verdict.SKIP) and not each.findings)
    return [
        {
            "rule": each.rule.id,
            "verdict": each.verdict.value,
            "severity": each.rule.severity.value,
            "message": each.rule.title if each.verdict is Verdict.PASS else f"skipped: {each.why}",
            "is": None,
            "should": None,
            "where": place_as_data(each.subject.place),
            "related": [],
            "cause": each.why,
            "remedy": None,
            "victims": [],
            "suppressed": False,
            **({"simulated": True} if each.simulated else {}),
        }
        for each in quiet
    ]
