"""What --watch tells: the state once, then what changed, with the time; for programs one JSON document a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from nodeworthy.report.asked import Asked
from nodeworthy.report.changes import Changed, Changes, victims_between
from nodeworthy.report.counted import counted
from nodeworthy.report.json import as_data, finding_as_data
from nodeworthy.report.printable import escaped, on_one_line
from nodeworthy.report.report import Report
from nodeworthy.report.text import of_finding
from nodeworthy.verdict import Finding

SCHEMA = "nodeworthy/watch/v1"
_SHOWN = 5


def text(changes: Changes, report: Report, when: datetime, asked: Asked) -> str:
    """Nothing, where what has changed is not told."""
    lines = [line for said in _said(_of_those_told(changes, report, asked)) for line in said.splitlines()]
    return "".join(f"{line}\n" for line in [f"-- {_time(when)}", *lines, counted(report, asked)]) if lines else ""


def _of_those_told(changes: Changes, report: Report, asked: Asked) -> Changes:
    def told(some: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(each for each in some if asked.tells(report, each))

    changed = tuple(each for each in changes.changed if told([each.before, each.after]))
    return Changes(told(changes.new), changed, told(changes.gone), told(changes.unseen))


def _said(changes: Changes) -> Iterator[str]:
    yield from (f"new {of_finding(each)}" for each in changes.new)
    yield from map(_changed, changes.changed)
    yield from (f"gone {_named(each)}" for each in changes.gone)
    yield from (f"can't be seen any more, and may still stand: {_named(each)}" for each in changes.unseen)


def _named(finding: Any) -> str:
    return on_one_line(f"{finding.where}: {finding.rule}: {finding.sentence()}")


def _changed(changed: Changed) -> str:
    lines = [f"changed {of_finding(changed.after)}"]
    for word, some in victims_between(changed):
        others = f" and {len(some) - _SHOWN} others" if len(some) > _SHOWN else ""
        lines.append(on_one_line(f"    victims {word}: {', '.join(some[:_SHOWN])}{others}"))
    return "\n".join(lines)


def line(report: Report, when: datetime, changes: Changes | None = None) -> str:
    """The whole report where nothing came before it."""
    if changes is None:
        return _line({**as_data(report), "time": _time(when)})
    told = {
        "new": [finding_as_data(each) for each in changes.new],
        "changed": [
            {"before": finding_as_data(each.before), "after": finding_as_data(each.after)} for each in changes.changed
        ],
        "gone": [finding_as_data(each) for each in changes.gone],
        "unseen": [finding_as_data(each) for each in changes.unseen],
    }
    return _line({"schema": SCHEMA, "time": _time(when), "summary": report.summary, **told})


def blind_text(why: str, when: datetime) -> str:
    return f"-- {_time(when)}\ncan't look, and what stood may still stand: {on_one_line(why)}\n"


def blind_line(why: str, when: datetime) -> str:
    return _line({"schema": SCHEMA, "time": _time(when), "blind": why})


def seeing_text(seconds: float, when: datetime) -> str:
    return f"-- {_time(when)}\nlooking again, after {seconds:.0f} s\n"


def seeing_line(seconds: float, when: datetime) -> str:
    return _line({"schema": SCHEMA, "time": _time(when), "blind": None, "blind_seconds": round(seconds)})


def _line(data: dict[str, Any]) -> str:
    return escaped(json.dumps(data, ensure_ascii=False)) + "\n"


def _time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
