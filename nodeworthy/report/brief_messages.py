"""The three messages to people who run jobs: that it is broken, that it still is, that it is mended; and the times."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.report.brief_causes import (
    SHOWN,
    Cause,
    few_named,
    how_many,
    lines_of_hurt,
    names,
    platform_objects,
    spaces_of,
)
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import WIDTH

WHO = "(nodeworthy can't know: put a name here before you send this)"
WHEN = "(put the time here)"
DONE = "(put it here; what mends it stands below, for the platform team)"


def first(causes: Sequence[Cause], sightings: Sequence[Sighting]) -> Iterator[str]:
    own = platform_objects(sightings)
    yield from line(_headline(causes, own))
    for number, each in enumerate(causes[:SHOWN], 1):
        yield ""
        if len(causes) > 1:
            yield f"{number} of {len(causes)}"
        yield from _one(each, each.among(sightings), own)
    yield ""
    if len(causes) > SHOWN:
        yield f"And {len(causes) - SHOWN} more, which hit fewer."
    yield from line(WHO, "Who looks: ")


def update(causes: Sequence[Cause]) -> Iterator[str]:
    one = len(causes) == 1
    found = "the cause is" if one else f"{len(causes)} causes are"
    yield from line(f"{found} found; in what was read, {'it is' if one else 'they are'} not mended yet:", "Status: ")
    yield from _listed(causes)
    if all(each.is_mendable for each in causes):
        yield from line("what mends it is known. Whether somebody has begun, nodeworthy can't see.", "Next: ")
    else:
        yield from line("what mends it is not known for all of this.", "Next: ")
    yield from line("not known; nothing that was read tells how long it will take.", "Ready by: ")


def resolution(causes: Sequence[Cause], sightings: Sequence[Sighting], when: str = WHEN) -> Iterator[str]:
    yield f"Mended: {when}"
    yield "What it was:"
    yield from _listed(causes)
    yield from line(DONE, "What was done: ")
    jobs, _ = _apart(causes, platform_objects(sightings))
    if jobs:
        yield from line(f"{few_named(jobs)}.", "Start again what does not run by itself: ")


def _headline(causes: Sequence[Cause], own: set[str]) -> str:
    on = list(dict.fromkeys(name for each in causes for name in each.on))
    where = f" on {names(on)}" if on else ""
    jobs, platforms = _apart(causes, own)
    if jobs:
        inside = spaces_of(jobs)
        spaces = f", in namespace{'s' if len(inside) > 1 else ''} {names(inside)}" if inside else ""
        return f"{how_many(jobs)} cannot do {'their' if len(jobs) > 1 else 'its'} work{where}{spaces}."
    if platforms:
        return f"Something is broken{where}. Only the platform's own parts were seen to suffer from it."
    return f"Something is broken{where}. Nothing was seen that suffers from it."


def _one(cause: Cause, sightings: Sequence[Sighting], own: set[str]) -> Iterator[str]:
    for called, victims in zip(("What happens:", "Of the platform's own parts:"), _apart([cause], own), strict=True):
        if victims:
            yield called
            for each in lines_of_hurt(victims, sightings):
                yield from line(each, "  - ", "    ")
    if not cause.victims:
        yield from line(f"{names(cause.places)}.", "Where: ")
    yield from line(_since_when(sightings), "Since when: ")
    yield from line(f"{cause.says}.", "Why: ")
    yield from line(cause.to_do, "What you can do: ")


def _apart(causes: Sequence[Cause], own: set[str]) -> tuple[list[str], list[str]]:
    """Somebody's jobs, and the platform's own parts."""
    victims = list(dict.fromkeys(victim for each in causes for victim in each.victims))
    return [each for each in victims if each not in own], [each for each in victims if each in own]


def _listed(causes: Sequence[Cause]) -> Iterator[str]:
    for each in causes[:SHOWN]:
        yield from line(each.where_and_what, "  - ", "    ")
    if len(causes) > SHOWN:
        yield f"  - and {len(causes) - SHOWN} more"


def line(text: str, first: str = "", others: str = "  ") -> list[str]:
    return textwrap.wrap(
        on_one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


UNTOLD = "not known; nothing that was read tells a time."
PLACED = "not known; no warning about it was read. Given to its node at"
LONGEST = 40

_Key = tuple[Sign, str, datetime | None]
_NEVER = datetime.min.replace(tzinfo=UTC)

_SAYS = {Sign.UNREADY: "not ready since then", Sign.PLACED: "given to its node"}


def _since_when(sightings: Sequence[Sighting]) -> str:
    """The time by warnings, else when the node ceased to be ready; never by what merely stands near it."""
    if warned := _times(sightings, Sign.WARNED):
        first, last = min(warned), max(warned)
        until = f", the last from {_hour(last, first)}" if last > first else ""
        return f"the first warning about them that was read is from {_day(first)}{until}. It may have begun earlier."
    if unready := _times(sightings, Sign.UNREADY):
        return f"not ready since {_day(min(unready))}. It may have begun earlier."
    placed = _times(sightings, Sign.PLACED)
    return f"{PLACED} {_day(min(placed))}." if placed else UNTOLD


def times_told(sightings: Iterable[Sighting]) -> list[str]:
    """The same warning about several objects is one line where it begins and one where it ends. Where there are too
    many lines, warnings are kept."""
    lines = [(sign, *line) for (sign, *_), group in _alike(sightings) for line in _lines(sign, group)]
    kept = sorted(lines, key=lambda line: (line[0] is not Sign.WARNED, *line[1:]))[:LONGEST]
    told = [f"{_day(when)}  {text}" for when, text in sorted((when, text) for _, when, text in kept)]
    return [*told, f"and {len(lines) - LONGEST} more"] if len(lines) > LONGEST else told


def _day(when: datetime) -> str:
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _times(sightings: Iterable[Sighting], sign: Sign) -> list[datetime]:
    return [when for each in sightings if each.sign is sign for when in (each.first, each.last) if when]


def _hour(when: datetime, beside: datetime) -> str:
    same = when.astimezone(UTC).date() == beside.astimezone(UTC).date()
    return f"{when.astimezone(UTC):%H:%M:%S} UTC" if same else _day(when)


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
