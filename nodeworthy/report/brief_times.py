"""When it was: since when, and in which order. Every time is one that the cluster told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from nodeworthy.facts.cluster.sighting import Sighting, Sign

UNTOLD = "not known; nothing that was read tells a time."
PLACED = "not known; no warning about it was read. Given to its node at"
LONGEST = 40

_Key = tuple[Sign, str, datetime | None]
_NEVER = datetime.min.replace(tzinfo=UTC)

_SAYS = {Sign.UNREADY: "not ready since then", Sign.PLACED: "given to its node"}


def since(sightings: Sequence[Sighting]) -> str:
    """By warnings, else by when it ceased to be ready; never by what only stands near it."""
    if warned := _times(sightings, Sign.WARNED):
        first, last = min(warned), max(warned)
        until = f", the last from {_hour(last, first)}" if last > first else ""
        return f"the first warning about them that was read is from {day(first)}{until}. It may have begun earlier."
    if unready := _times(sightings, Sign.UNREADY):
        return f"not ready since {day(min(unready))}. It may have begun earlier."
    placed = _times(sightings, Sign.PLACED)
    return f"{PLACED} {day(min(placed))}." if placed else UNTOLD


def timeline(sightings: Iterable[Sighting]) -> list[str]:
    """The same warning about several objects is one line where it begins and one where it ends. Where there are too
    many lines, warnings are kept."""
    lines = [(sign, *line) for (sign, *_), group in _alike(sightings) for line in _lines(sign, group)]
    kept = sorted(lines, key=lambda line: (line[0] is not Sign.WARNED, *line[1:]))[:LONGEST]
    told = [f"{day(when)}  {text}" for when, text in sorted((when, text) for _, when, text in kept)]
    return [*told, f"and {len(lines) - LONGEST} more"] if len(lines) > LONGEST else told


def day(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _times(sightings: Iterable[Sighting], sign: Sign) -> list[datetime]:
    return [when for each in sightings if each.sign is sign for when in (each.first, each.last) if when]


def _hour(when: datetime, beside: datetime) -> str:
    same = when.astimezone(UTC).date() == beside.astimezone(UTC).date()
    return f"{when.astimezone(UTC):%H:%M:%S} UTC" if same else day(when)


def _alike(sightings: Iterable[Sighting]) -> Iterable[tuple[_Key, list[Sighting]]]:
    groups: dict[_Key, list[Sighting]] = {}
    for each in sightings:
        if each.first is not None:
            alike = None if each.sign is Sign.WARNED else each.first
            groups.setdefault((each.sign, each.word, alike), []).append(each)
    return groups.items()


def _lines(sign: Sign, group: Sequence[Sighting]) -> Iterator[tuple[datetime, str]]:
    first = min(group, key=lambda each: (each.first or _NEVER, each.object))
    last = max(group, key=lambda each: (each.last or each.first or _NEVER, each.object))
    begun, ended = first.first or _NEVER, last.last or last.first or _NEVER
    names = {each.object for each in group}
    if sign is not Sign.WARNED:
        yield begun, f"{_and_others(first.object, len(names) - 1)}: {_SAYS[sign]}"
        return
    count = sum(each.count for each in group)
    about = f" (about {len(names)} objects)" if len(names) > 1 else ""
    if ended == begun:
        times = f", {count} times" if count > 1 else ""
        yield begun, f"{_and_others(first.object, len(names) - 1)}: {first.word}{times}"
        return
    yield begun, f"{first.object}: {first.word}, the first of {count}{about}"
    yield ended, f"{last.object}: {last.word}, the last of {count}{about}"


def _and_others(name: str, others: int) -> str:
    return f"{name} and {others} other{'s' if others > 1 else ''}" if others else name
