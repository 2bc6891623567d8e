"""The three messages to people who run jobs: that it is broken, that it still is, that it is mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.facts.cluster.sighting import Sighting
from nodeworthy.report import brief_times, brief_victims
from nodeworthy.report.brief_causes import SHOWN, Cause, names, of_the_platform
from nodeworthy.report.brief_line import line

WHO = "(nodeworthy can't know: put a name here before you send this)"
WHEN = "(put the time here)"
DONE = "(put it here; what mends it stands below, for the platform team)"


def first(causes: Sequence[Cause], sightings: Sequence[Sighting]) -> Iterator[str]:
    own = of_the_platform(sightings)
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


def resolution(causes: Sequence[Cause], sightings: Sequence[Sighting]) -> Iterator[str]:
    yield f"Mended: {WHEN}"
    yield "What it was:"
    yield from _listed(causes)
    yield from line(DONE, "What was done: ")
    jobs, _ = _apart(causes, of_the_platform(sightings))
    if jobs:
        yield from line(f"{brief_victims.named(jobs)}.", "Start again what does not run by itself: ")


def _headline(causes: Sequence[Cause], own: set[str]) -> str:
    on = list(dict.fromkeys(name for each in causes for name in each.on))
    where = f" on {names(on)}" if on else ""
    jobs, platforms = _apart(causes, own)
    if jobs:
        inside = brief_victims.namespaces(jobs)
        spaces = f", in namespace{'s' if len(inside) > 1 else ''} {names(inside)}" if inside else ""
        return f"{brief_victims.counted(jobs)} cannot do {'their' if len(jobs) > 1 else 'its'} work{where}{spaces}."
    if platforms:
        return f"Something is broken{where}. Only the platform's own parts were seen to suffer from it."
    return f"Something is broken{where}. Nothing was seen that suffers from it."


def _one(cause: Cause, sightings: Sequence[Sighting], own: set[str]) -> Iterator[str]:
    for called, victims in zip(("What happens:", "Of the platform's own parts:"), _apart([cause], own), strict=True):
        if victims:
            yield called
            for each in brief_victims.told(victims, sightings):
                yield from line(each, "  - ", "    ")
    if not cause.victims:
        yield from line(f"{names(cause.places)}.", "Where: ")
    yield from line(brief_times.since(sightings), "Since when: ")
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
