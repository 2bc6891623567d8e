"""Versions and ranges of versions, as spans from a first one up to one that is no longer in it."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

Numbers = tuple[int, ...]

_VERSION = r"v?(\d+(?:\.\d+)*)"
_EXACT = pattern(rf"{_VERSION}(?:[-+][^\s,]*)?")
_CONSTRAINT = pattern(rf"(>=|<=|>|<|=|~>?|\^)?\s*{_VERSION}((?:\.[x*X])*)(?:[-+][^\s,]*)?")
_ANY = pattern(r"[x*X]|latest")


@dataclass(frozen=True)
class Span:
    """The versions from `since` up to `before`, which is not included; None where that end is open."""

    since: Numbers | None = None
    before: Numbers | None = None

    def covers(self, other: Span) -> bool | None:
        """Whether all of the other lies in this one; None where only some of it does."""
        if self._is_apart_from(other):
            return False
        starts = self.since is None or (other.since is not None and self.since <= other.since)
        ends = self.before is None or (other.before is not None and other.before <= self.before)
        return True if starts and ends else None

    def _is_apart_from(self, other: Span) -> bool:
        too_new = self.before is not None and other.since is not None and other.since >= self.before
        too_old = self.since is not None and other.before is not None and other.before <= self.since
        return too_new or too_old

    def within(self, other: Span) -> Span:
        """What they have in common."""
        starts = [each for each in (self.since, other.since) if each is not None]
        ends = [each for each in (self.before, other.before) if each is not None]
        return Span(max(starts, default=None), min(ends, default=None))


def span_of(version: str) -> Span | None:
    """All that a version may stand for: 1.7 is any of 1.7.x, 1.7.27 only itself. None where it is none."""
    match = _EXACT.fullmatch(version.strip())
    return _all_of(numbers(match[1])) if match else None


def range_of(written: str) -> Span | None:
    """A range as Helm takes it (`25.3.x`, `~25.3.1`, `>=25.3 <26`); None where it is not understood."""
    written = written.strip()
    if _ANY.fullmatch(written):
        return Span()
    found, end = Span(), 0
    for match in _CONSTRAINT.finditer(written):
        if written[end : match.start()].strip(" ,"):
            return None
        found, end = found.within(_constraint(match[1] or "=", numbers(match[2]))), match.end()
    return found if end and not written[end:].strip(" ,") else None


def read_span(row: Mapping[str, str]) -> Span:
    """A span as the tables keep it."""
    return Span(*(numbers(row[end]) if end in row else None for end in ("since", "before")))


def numbers(version: str) -> Numbers:
    return tuple(int(part) for part in version.split("."))


def _all_of(version: Numbers) -> Span:
    return Span(version, _after(version))


def _after(version: Numbers) -> Numbers:
    return (*version[:-1], version[-1] + 1)


def _constraint(operator: str, version: Numbers) -> Span:
    match operator:
        case ">=":
            return Span(version)
        case ">":
            return Span(_after(version))
        case "<":
            return Span(None, version)
        case "<=":
            return Span(None, _after(version))
        case "^":
            return Span(version, _after(version[:1]))
        case "~" | "~>":
            return Span(version, _after(version[:2]))
    return _all_of(version)
