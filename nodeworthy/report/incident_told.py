"""What people are told while `diagnose --watch` looks: that something is broken, every quarter of an hour that it still
is, and that it is mended. The time comes from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta

from nodeworthy.facts.cluster.sighting import Sighting
from nodeworthy.records import dataclass
from nodeworthy.report import brief_messages
from nodeworthy.report.brief_causes import Cause, causes
from nodeworthy.report.counted import outcome
from nodeworthy.report.report import Report
from nodeworthy.report.watched import Standing
from nodeworthy.verdict import Verdict

EVERY = timedelta(minutes=15)
# What starts again and again runs well for a moment: one look that finds nothing is no end.
_CLEAN_LOOKS = 2

_TELLS_NOTHING = (Verdict.UNKNOWN, Verdict.ERROR)

_Key = tuple[str, tuple[str, ...]]


@dataclass
class Incident:
    """An incident lasts from the first look that finds something broken until nothing is. What cannot be seen any more
    stands."""

    every: timedelta = EVERY
    _standing: Standing = field(default_factory=Standing)
    # All that it ever was, and what the cluster said of it.
    _known: dict[_Key, Cause] = field(default_factory=dict)
    _sightings: Sequence[Sighting] = ()
    _told_at: datetime | None = None
    _clean_since: datetime | None = None
    _clean_looks: int = 0

    def look(self, report: Report, now: datetime) -> str:
        """The message that is due now; empty where none is."""
        self._standing.look(report.findings)
        found = causes(each for each in self._standing.all if not each.suppressed and outcome(each) == "fail")
        found = found or self._hidden()
        if not found:
            return self._nothing_found(now) if self._told_at is not None else ""
        self._clean_looks = 0
        self._sightings = report.sightings or self._sightings
        new = [each for each in found if _key(each) not in self._known]
        self._known |= {_key(each): each for each in found}
        if not new and self._told_at is not None and now - self._told_at < self.every:
            return ""
        told = self._message(found, new, now)
        self._told_at = now
        return told

    def _hidden(self) -> list[Cause]:
        """What it was, where the rule that said so can't tell now."""
        rules = {each.rule for cause in self._known.values() for each in cause.findings}
        hides = any(each.verdict in _TELLS_NOTHING and each.rule in rules for each in self._standing.all)
        return list(self._known.values()) if hides else []

    def _message(self, found: Sequence[Cause], new: Sequence[Cause], now: datetime) -> str:
        if self._told_at is None:
            return _section_text("FIRST MESSAGE, to everybody who runs jobs here", now, self._first(found))
        return _section_text("UPDATE", now, [*brief_messages.update(found), *self._besides(new)])

    def _first(self, found: Sequence[Cause]) -> Iterator[str]:
        yield from brief_messages.first(found, self._sightings)

    def _besides(self, new: Sequence[Cause]) -> Iterator[str]:
        if new:
            yield from ("", "What is new:", "")
            yield from self._first(new)

    def _nothing_found(self, now: datetime) -> str:
        if not self._clean_looks:
            self._clean_since = now
        self._clean_looks += 1
        if self._clean_looks < _CLEAN_LOOKS or self._clean_since is None:
            return ""
        ended = brief_messages.resolution(list(self._known.values()), self._sightings, _time(self._clean_since))
        told = _section_text("RESOLUTION", now, ended)
        self._known, self._sightings, self._told_at, self._clean_looks = {}, (), None, 0
        return told


def _key(cause: Cause) -> _Key:
    return cause.says, cause.on


def _section_text(title: str, now: datetime, lines: Iterator[str] | Sequence[str]) -> str:
    return "\n".join([f"{title} ({_time(now)})", "", *lines]).rstrip("\n") + "\n\n\n"


def _time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
