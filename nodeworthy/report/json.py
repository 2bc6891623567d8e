"""The report as JSON: the shape of `report.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from nodeworthy.engine import Judgement
from nodeworthy.report.not_read import by_ending
from nodeworthy.report.printable import escape_json
from nodeworthy.report.report import SCHEMA, Report, ReportOptions, offer_as_data, place_as_data
from nodeworthy.verdict import Finding, Verdict


def render(report: Report, asked: ReportOptions | None = None) -> str:
    return escape_json(json.dumps(as_data(report, asked or ReportOptions()), indent=2, ensure_ascii=False)) + "\n"


def as_data(report: Report, asked: ReportOptions | None = None) -> dict[str, Any]:
    asked = asked or ReportOptions()
    beside = _skipped_beside(report) if asked.show_passed else {}
    findings = [{**finding_as_data(each), **_fix(report, each), **beside.get(each, {})} for each in report.findings]
    return {
        "schema": SCHEMA,
        "moment": report.moment.value,
        "evaluated": report.evaluated,
        "summary": report.summary,
        **({"notRead": by_ending(report.not_read)} if report.not_read else {}),
        "findings": [*findings, *_passed_and_skipped(report, asked)],
        **report.extra,
    }


def _skipped_beside(report: Report) -> dict[Finding, dict[str, Any]]:
    """Told with the first finding of a pair: which of the rule's other checks did not apply."""
    return {each.findings[0]: _checks_skipped(each) for each in report.judgements if each.findings}


def _checks_skipped(judgement: Judgement) -> dict[str, Any]:
    return {"skipped": list(judgement.also_skipped)} if judgement.also_skipped else {}


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
    return {"fix": offer_as_data(offered)} if offered is not None else {}


def _passed_and_skipped(report: Report, asked: ReportOptions) -> Iterator[dict[str, Any]]:
    """A check that was skipped beside another's verdict stands with that verdict, and where skips were asked for, for
    itself as well: whoever asks for what passed may count on one verdict a pair."""
    for each in report.judgements:
        if asked.show_passed and each.verdict is Verdict.PASS and not each.findings:
            yield {**_without_finding(each, Verdict.PASS, each.rule.title, each.why), **_checks_skipped(each)}
        if asked.show_skipped or (asked.show_passed and each.verdict is Verdict.SKIP):
            yield from (_without_finding(each, Verdict.SKIP, f"skipped: {why}", why or None) for why in each.reasons)


def _without_finding(judgement: Judgement, verdict: Verdict, message: str, cause: str | None) -> dict[str, Any]:
    return {
        "rule": judgement.rule.id,
        "verdict": verdict.value,
        "severity": judgement.rule.severity.value,
        "message": message,
        "is": None,
        "should": None,
        "where": place_as_data(judgement.subject.place),
        "related": [],
        "cause": cause,
        "remedy": None,
        "victims": [],
        "suppressed": False,
        **({"simulated": True} if judgement.simulated else {}),
    }
