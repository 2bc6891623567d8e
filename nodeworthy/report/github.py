"""The report as GitHub's workflow commands: each finding a line that is annotated in the pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from nodeworthy.report.counted import NOTHING, count_line, last_line
from nodeworthy.report.in_checkout import path_of
from nodeworthy.report.printable import printable, shorten
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.report.stories import Story, stories_of
from nodeworthy.report.text import details_of, rule_name
from nodeworthy.verdict import Finding, Severity, Verdict

_TITLE = "nodeworthy"
# Of one step, and of each level: what is beyond stands in the log alone.
_ANNOTATED = 10


def render(report: Report, asked: ReportOptions | None = None, *, below: str = "") -> str:
    return "".join(f"{line}\n" for line in _lines(report, asked or ReportOptions(), below))


def _lines(report: Report, asked: ReportOptions, below: str) -> Iterator[str]:
    told = stories_of(each for each in asked.told(report) if not each.suppressed)
    for each in told:
        yield _annotation(each, below)
    if not report.evaluated["verdicts"]:
        yield _command("error", {"title": _TITLE}, NOTHING)
    yield _command("notice", {"title": _TITLE}, "\n".join(_counted(report, asked, told)))


def _counted(report: Report, asked: ReportOptions, told: Sequence[Story]) -> Iterator[str]:
    yield count_line(report, asked)
    levels = Counter(_level(each.first) for each in told)
    if max(levels.values(), default=0) > _ANNOTATED:
        yield f"GitHub shows {_ANNOTATED} errors and {_ANNOTATED} warnings of a step: all of them are in its log"
    yield from filter(None, [last_line(report, asked)])


def _annotation(told: Story, below: str) -> str:
    found = told.first
    path = path_of(found.where, below)
    place = {"file": path, "line": found.where.line, "col": found.where.column} if path else {}
    title = rule_name(told) if found.verdict is Verdict.FAIL else f"{rule_name(told)} ({found.verdict})"
    return _command(_level(found), {**place, "title": title}, "\n".join(_says(told, annotated=path is not None)))


def _level(found: Finding) -> str:
    if found.verdict is Verdict.UNKNOWN or found.severity is Severity.WARNING:
        return "warning"
    return "error"


def _says(told: Story, *, annotated: bool) -> Iterator[str]:
    yield shorten(told.sentence())
    if not annotated:
        yield f"at: {told.first.where}"
    for label, text in details_of(told):
        yield f"{label}: {text}" if label else text
    if told.first.simulated:
        yield "simulated: a second run with made-up outputs decided it"


def _command(name: str, properties: dict[str, str | int | None], message: str) -> str:
    told = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
