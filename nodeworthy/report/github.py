"""The report as GitHub's workflow commands: each finding a line that is annotated in the pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nodeworthy.report.in_checkout import path_of
from nodeworthy.report.printable import printable
from nodeworthy.report.report import Report
from nodeworthy.report.text import counted, details, said
from nodeworthy.verdict import Finding, Severity, Verdict

_TITLE = "nodeworthy"
# Of one step, and of each level: what is beyond stands in the log alone.
_ANNOTATED = 10


def render(report: Report, *, below: str = "") -> str:
    return "".join(f"{line}\n" for line in _lines(report, below))


def _lines(report: Report, below: str) -> Iterator[str]:
    for each in report.findings:
        if not each.suppressed:
            yield _annotation(each, below)
    if not report.evaluated["verdicts"]:
        yield _command("error", {"title": _TITLE}, "nothing was evaluated, so nothing is proven")
    yield _command("notice", {"title": _TITLE}, f"{counted(report)}{_beyond(report)}")


def _beyond(report: Report) -> str:
    levels = Counter(_level(each) for each in report.findings if not each.suppressed)
    if max(levels.values(), default=0) <= _ANNOTATED:
        return ""
    return f"\nGitHub shows {_ANNOTATED} errors and {_ANNOTATED} warnings of a step: all of them are in its log"


def _annotation(found: Finding, below: str) -> str:
    path = path_of(found.where, below)
    place = {"file": path, "line": found.where.line, "col": found.where.column} if path else {}
    title = found.rule if found.verdict is Verdict.FAIL else f"{found.rule} ({found.verdict})"
    return _command(_level(found), {**place, "title": title}, "\n".join(_says(found, annotated=path is not None)))


def _level(found: Finding) -> str:
    if found.verdict is Verdict.UNKNOWN or found.severity is Severity.WARNING:
        return "warning"
    return "error"


def _says(found: Finding, *, annotated: bool) -> Iterator[str]:
    yield said(found)
    if not annotated:
        yield f"at: {found.where}"
    for label, text in details(found):
        yield f"{label}: {text}"
    if found.simulated:
        yield "simulated: a second run with made-up outputs decided it"


def _command(name: str, properties: dict[str, str | int | None], message: str) -> str:
    told = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
