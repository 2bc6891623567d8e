"""What changed between two looks at the same thing, and how --watch tells it: for people and for programs.

What can't be seen any more is not gone: a finding whose rule can no longer tell stands until the rule can again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import Any

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.report.counted import count_line
from nodeworthy.report.json import as_data, finding_as_data
from nodeworthy.report.printable import escape_json, on_one_line
from nodeworthy.report.report import Report, ReportOptions
from nodeworthy.report.text import finding_text
from nodeworthy.verdict import Finding, Place, Verdict

# Where one of these is new, any rule may have been kept from looking.
_BLINDS_ALL = frozenset(("looked-at", "rule-crashed", "input-readable"))
_TELLS_NOTHING = (Verdict.UNKNOWN, Verdict.ERROR)
# Counts and ages grow with every look: they alone are no news.
_FIGURES = pattern(r"\d+")

_Key = tuple[str, Place]


@dataclass(frozen=True)
class Changed:
    before: Finding
    after: Finding


@dataclass(frozen=True)
class Changes:
    new: tuple[Finding, ...] = ()
    changed: tuple[Changed, ...] = ()
    gone: tuple[Finding, ...] = ()
    # Of these nobody can tell any more whether they stand.
    unseen: tuple[Finding, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.gone or self.unseen)


@dataclass
class Standing:
    """What stood at the last look, and what can't be seen since."""

    _seen: list[Finding] = field(default_factory=list)
    # With what kept its rule from looking.
    _unseen: list[tuple[Finding, frozenset[_Key]]] = field(default_factory=list)

    @property
    def all(self) -> Sequence[Finding]:
        """The standing findings, with those of which nobody can tell any more whether they stand."""
        return [*self._seen, *(each for each, _ in self._unseen)]

    def look(self, now: Sequence[Finding]) -> Changes:
        new, pairs, missing = _matched(self.all, now)
        blind_before = dict(self._unseen)
        blinding = [each for each in new if each.verdict in _TELLS_NOTHING]
        standing = {_key(each) for each in now}
        gone: list[Finding] = []
        unseen: list[Finding] = []
        still: list[tuple[Finding, frozenset[_Key]]] = []
        for each in missing:
            why = blind_before.get(each, frozenset()) & standing or _blinds(each, blinding)
            if not why:
                gone.append(each)
                continue
            still.append((each, why))
            if each not in blind_before:
                unseen.append(each)
        self._seen, self._unseen = list(now), still
        changed = [Changed(before, after) for before, after in pairs if _says(before) != _says(after)]
        return Changes(tuple(new), tuple(changed), tuple(gone), tuple(unseen))


def _key(finding: Finding) -> _Key:
    return finding.rule, finding.where


def _blinds(finding: Finding, blinding: Iterable[Finding]) -> frozenset[_Key]:
    """What keeps its rule from telling. That a rule can't tell is no more than that, and is gone when it can."""
    if finding.verdict in _TELLS_NOTHING:
        return frozenset()
    return frozenset(_key(each) for each in blinding if each.rule == finding.rule or each.rule in _BLINDS_ALL)


def _matched(
    before: Iterable[Finding], now: Iterable[Finding]
) -> tuple[list[Finding], list[tuple[Finding, Finding]], list[Finding]]:
    """New ones, those that were there, those that are missing. Several of a rule may be about one place: those that say
    the same belong together first."""
    left: dict[_Key, list[Finding]] = defaultdict(list)
    for each in before:
        left[_key(each)].append(each)
    pairs: list[tuple[Finding, Finding]] = []
    others: list[Finding] = []
    for each in now:
        same = next((old for old in left[_key(each)] if _says(old) == _says(each)), None)
        if same is None:
            others.append(each)
        else:
            left[_key(each)].remove(same)
            pairs.append((same, each))
    new: list[Finding] = []
    for each in others:
        of_its_place = left[_key(each)]
        if of_its_place:
            pairs.append((of_its_place.pop(0), each))
        else:
            new.append(each)
    return new, pairs, [each for some in left.values() for each in some]


def _says(finding: Finding) -> tuple[object, ...]:
    said = (finding.sentence(), finding.is_, finding.should, finding.cause, finding.remedy)
    words = tuple(_FIGURES.sub("#", each or "") for each in said)
    return finding.verdict, finding.severity, finding.suppressed, words, frozenset(finding.victims)


def victims_between(changed: Changed) -> Iterator[tuple[str, list[str]]]:
    before, after = changed.before.victims, changed.after.victims
    for word, some, others in (("more", after, before), ("no longer", before, after)):
        found = [each for each in some if each not in others]
        if found:
            yield word, found


SCHEMA = "nodeworthy/watch/v1"
_SHOWN = 5


def text(changes: Changes, report: Report, when: datetime, asked: ReportOptions) -> str:
    """The changes as text; empty where none of them is told."""
    lines = [line for said in _change_lines(_of_those_told(changes, report, asked)) for line in said.splitlines()]
    return "".join(f"{line}\n" for line in [f"-- {_time(when)}", *lines, count_line(report, asked)]) if lines else ""


def _of_those_told(changes: Changes, report: Report, asked: ReportOptions) -> Changes:
    def told(some: Iterable[Finding]) -> tuple[Finding, ...]:
        return tuple(each for each in some if asked.tells(report, each))

    changed = tuple(each for each in changes.changed if told([each.before, each.after]))
    return Changes(told(changes.new), changed, told(changes.gone), told(changes.unseen))


def _change_lines(changes: Changes) -> Iterator[str]:
    yield from (f"new {finding_text(each)}" for each in changes.new)
    yield from map(_changed, changes.changed)
    yield from (f"gone {_finding_in_words(each)}" for each in changes.gone)
    yield from (f"can't be seen any more, and may still stand: {_finding_in_words(each)}" for each in changes.unseen)


def _finding_in_words(finding: Any) -> str:
    return on_one_line(f"{finding.where}: {finding.rule}: {finding.sentence()}")


def _changed(changed: Changed) -> str:
    lines = [f"changed {finding_text(changed.after)}"]
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
    return escape_json(json.dumps(data, ensure_ascii=False)) + "\n"


def _time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
