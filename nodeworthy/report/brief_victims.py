"""Whom it hits: the victims of a finding, by what they suffer from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.report.brief_words import TROUBLES

SHOWN = 5
NO_WORD = "named as hit; what was read does not say how"

_NEVER = datetime.min.replace(tzinfo=UTC)


def told(victims: Sequence[str], sightings: Iterable[Sighting]) -> list[str]:
    """One line for each trouble: how many have it, and who."""
    words = _words(sightings)
    by_trouble: dict[str, list[str]] = {}
    for victim in victims:
        by_trouble.setdefault(_trouble(words.get(victim)), []).append(victim)
    return [f"{counted(some)} {trouble}: {named(some)}" for trouble, some in by_trouble.items()]


def counted(objects: Sequence[str]) -> str:
    """`2 pods`, or `3 objects` where they are of several kinds."""
    kinds = {each.partition("/")[0] for each in objects}
    kind = kinds.pop() if len(kinds) == 1 else "object"
    return f"{len(objects)} {kind.lower() if kind == 'Pod' else kind}{'s' if len(objects) > 1 else ''}"


def named(objects: Sequence[str]) -> str:
    shown = ", ".join(_name(each) for each in objects[:SHOWN])
    return f"{shown} and {len(objects) - SHOWN} more" if len(objects) > SHOWN else shown


def namespaces(objects: Iterable[str]) -> list[str]:
    return sorted({parts[1] for each in objects if len(parts := each.split("/", 2)) == 3})


def _name(object_: str) -> str:
    """As people say it: without its kind."""
    return object_.partition("/")[2] or object_


def _words(sightings: Iterable[Sighting]) -> dict[str, str]:
    """Of each object what its status says, else the newest warning."""
    newest: dict[str, tuple[bool, datetime, str]] = {}
    for each in sightings:
        if each.word:
            key = (each.sign is Sign.STATE, each.last or each.first or _NEVER, each.word)
            newest[each.object] = max(newest.get(each.object, key), key)
    return {name: word for name, (_, _, word) in newest.items()}


def _trouble(word: str | None) -> str:
    if word is None:
        return NO_WORD
    known = TROUBLES.get(word)
    return f"{known} ({word})" if known else f"in trouble, which Kubernetes calls {word}"
