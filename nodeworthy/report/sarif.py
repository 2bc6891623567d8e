"""The report as SARIF 2.1.0. A failure is a result, an unknown an open one; an error is a notification of the tool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from nodeworthy import __version__
from nodeworthy.engine import Judgement
from nodeworthy.patterns import pattern
from nodeworthy.report.counted import NOTHING
from nodeworthy.report.in_checkout import path_of
from nodeworthy.report.printable import REPLACED, escape_json, printable
from nodeworthy.report.report import Piece, Report, ReportOptions
from nodeworthy.report.text import details, sentence_of
from nodeworthy.rule import Rule
from nodeworthy.verdict import Finding, Place, Related, Severity, Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_IN_BASELINE = {"kind": "external", "justification": "it stands in the baseline"}


def render(report: Report, asked: ReportOptions | None = None, *, below: str = "") -> str:
    return escape_json(json.dumps(_as_data(report, asked or ReportOptions(), below=below), ensure_ascii=False)) + "\n"


def _as_data(report: Report, asked: ReportOptions, *, below: str = "") -> dict[str, Any]:
    rules = sorted({each.rule.id: each.rule for each in report.judgements}.values(), key=lambda rule: rule.id)
    index = {rule.id: number for number, rule in enumerate(rules)}
    results = [
        {**_result(each, index, below), **_fixes(report, each, below)}
        for each in asked.told(report)
        if each.verdict is not Verdict.ERROR
    ]
    if report.baseline:
        results = [{**each, "baselineState": _since(each)} for each in results]
    results += [_quiet(each, index, below) for each in report.judgements if _is_shown(each, asked)]
    driver = {"name": "nodeworthy", "version": __version__, "rules": [_rule(each) for each in rules]}
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"nodeworthy/{report.moment.value}/"},
        "invocations": [_invocation(report, index, below)],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"evaluated": report.evaluated, "summary": report.summary},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.documentation},
        **_page(rule),
        "help": {"text": rule.remedy, "markdown": f"{rule.documentation}\n\n**Remedy:** {rule.remedy}"},
        "defaultConfiguration": {"level": rule.severity.value},
    }


def _page(rule: Rule) -> dict[str, str]:
    """The address of its page: where this release has its documentation, or in the tree that it runs from. Whoever
    installed a release without an address has the page as the rule's help."""
    base = documentation()
    if base is not None:
        return {"helpUri": f"{base.rstrip('/')}/rules/{rule.id}.html"}
    page = Path(__file__).parents[2] / "docs" / "rules" / f"{rule.id}.md"
    return {"helpUri": page.as_uri()} if page.is_file() else {}


def documentation() -> str | None:
    """What the installed package says of itself."""
    try:
        said = metadata("nodeworthy").get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    urls = dict(each.split(", ", 1) for each in said if ", " in each)
    return urls.get("Documentation")


def _invocation(report: Report, index: Mapping[str, int], below: str) -> dict[str, Any]:
    errors = [each for each in report.findings if each.verdict is Verdict.ERROR]
    notifications = [_notification(each, index, below) for each in errors]
    if not report.evaluated["verdicts"]:
        notifications.append({"level": "error", "message": {"text": NOTHING}})
    return {"executionSuccessful": not notifications, "toolExecutionNotifications": notifications}


def _notification(found: Finding, index: Mapping[str, int], below: str) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": _message_text(found)},
        "associatedRule": {"id": found.rule, "index": index[found.rule]},
        "locations": [_location(found.where, below)],
    }


def _result(found: Finding, index: Mapping[str, int], below: str) -> dict[str, Any]:
    failed = found.verdict is Verdict.FAIL
    result: dict[str, Any] = {
        "ruleId": found.rule,
        "ruleIndex": index[found.rule],
        "kind": "fail" if failed else "open",
        "level": _level(found) if failed else "none",
        "message": {"text": _message_text(found)},
        "locations": [_location(found.where, below)],
    }
    if found.related:
        result["relatedLocations"] = [_related(number, each, below) for number, each in enumerate(found.related, 1)]
    if found.suppressed:
        result["suppressions"] = [_IN_BASELINE if found.baselined else {"kind": "inSource"}]
    if found.simulated:
        result["properties"] = {"simulated": True}
    return result


def _fixes(report: Report, found: Finding, below: str) -> dict[str, Any]:
    offer = report.offer(found)
    if offer is None:
        return {}
    change = {
        "artifactLocation": _artifact(path_of(Place(path=offer.path), below) or offer.path),
        "replacements": [_replacement(each) for each in offer.pieces],
    }
    return {"fixes": [{"description": {"text": printable(offer.title)}, "artifactChanges": [change]}]}


def _replacement(piece: Piece) -> dict[str, Any]:
    (line, column), (last, behind) = piece.start, piece.end
    region = {"startLine": line, "startColumn": column, "endLine": last, "endColumn": behind}
    inserted = {"insertedContent": {"text": piece.should}} if piece.should else {}
    return {"deletedRegion": region, **inserted}


def _since(result: Mapping[str, Any]) -> str:
    return "unchanged" if result.get("suppressions") == [_IN_BASELINE] else "new"


def _level(found: Finding) -> str:
    return "warning" if found.severity is Severity.WARNING else "error"


def _message_text(found: Finding) -> str:
    return printable("\n".join(_paragraphs(found)))


def _paragraphs(found: Finding) -> Sequence[str]:
    return [sentence_of(found), *(f"{label}: {text}" for label, text in details(found))]


def _is_shown(judgement: Judgement, asked: ReportOptions) -> bool:
    if judgement.findings:
        return False
    return asked.skips if judgement.verdict is Verdict.SKIP else asked.show_passed


def _quiet(judgement: Judgement, index: Mapping[str, int], below: str) -> dict[str, Any]:
    passed = judgement.verdict is Verdict.PASS
    return {
        "ruleId": judgement.rule.id,
        "ruleIndex": index[judgement.rule.id],
        "kind": "pass" if passed else "notApplicable",
        "level": "none",
        "message": {"text": judgement.rule.title if passed else printable(f"skipped: {judgement.why}")},
        "locations": [_location(judgement.subject.place, below)],
    }


ROOT = "%SRCROOT%"
# A name of bytes that are no UTF-8 is told by these bytes (surrogates of Python's own); other halves are none.
_NO_BYTE = pattern("[\ud800-\udc7f\udd00-\udfff]")


def _location(place: Place, below: str) -> dict[str, Any]:
    path = path_of(place, below)
    told: dict[str, Any] = {}
    if path is not None:
        told["physicalLocation"] = {"artifactLocation": _artifact(path), **_region(place)}
    names = _names(place)
    if names:
        told["logicalLocations"] = names
    return told


def _related(number: int, each: Related, below: str) -> dict[str, Any]:
    return {"id": number, **_location(each.place, below), "message": {"text": printable(each.says)}}


def _artifact(path: str) -> dict[str, str]:
    uri = quote(_NO_BYTE.sub(REPLACED, path), errors="surrogateescape")
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": ROOT}


def _region(place: Place) -> dict[str, Any]:
    if place.line is None:
        return {}
    column = {} if place.column is None else {"startColumn": place.column}
    return {"region": {"startLine": place.line, **column}}


def _names(place: Place) -> list[dict[str, str]]:
    named = (("resource", place.urn), ("host", place.host), ("object", place.object), ("member", place.subject))
    return [{"fullyQualifiedName": printable(name), "kind": kind} for kind, name in named if name]
