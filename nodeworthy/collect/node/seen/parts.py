"""What a command printed, or why it is not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from nodeworthy.collect.node.recording import Recording
from nodeworthy.verdict import Located, Place, Unknown

T = TypeVar("T")


def printed(recording: Recording, name: str, place: Place, what: str) -> Located[str] | None:
    """None where the recording is older than the question."""
    part = recording.part(name)
    if part is None:
        return None
    if part.code != 0:
        return Located.unknown(f"{what} could not be read: {part.why}", place)
    return Located.known(part.stdout, place)


def rows(
    recording: Recording, name: str, place: Place, what: str, row: Callable[[str], T | None]
) -> Located[tuple[T, ...]] | None:
    """What its lines say, those aside that say nothing."""
    said = printed(recording, name, place, what)
    if said is None:
        return None
    if isinstance(said.state, Unknown):
        return Located(said.state, place)
    return Located.known(tuple(each for each in map(row, said.state.value.splitlines()) if each is not None), place)


def lines(recording: Recording, name: str) -> list[str]:
    part = recording.part(name)
    return [line.strip() for line in part.stdout.splitlines() if line.strip()] if part else []
