"""In which portions a node is asked for its GPUs, as its users do: one, its two halves at once, and all of them.

Of GPUs that MIG has cut, one slice of each profile, then two of it at once. At last several candidates for the same
work, of which the first that begins is kept: so ask those who do not mind which GPUs they get.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.facts.accept.measure import Shape, Slices
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.known.resources import GPU
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Asking:
    """One request for GPUs of a node, which holds them only as long as it takes to say which came."""

    gpus: int
    # For whoever reads of it; no other asking of its node is called so.
    called: str
    # Whether it is made while another holds the rest: then it stays until both are there.
    is_beside: bool = False
    # What is asked for so many times: whole GPUs, or slices of one profile.
    resource: str = GPU
    profile: str = ""
    # Whether it gives way as soon as another candidate of its node has begun.
    is_candidate: bool = False

    @property
    def environment(self) -> dict[str, str]:
        return {
            "NODEWORTHY_ASKING": self.called,
            "NODEWORTHY_BESIDE": "1" if self.is_beside else "",
            **({"NODEWORTHY_PROFILE": self.profile} if self.profile else {}),
        }


# One after the other: none begins before the last one's GPUs are free.
STEPS = 4
_CANDIDATES = 3
_AT_ONCE = ("first of two jobs", "second of two jobs")


def askings(shape: Shape, step: int) -> tuple[Asking, ...]:
    """What a node is asked for at once; nothing, where an earlier step was the same."""
    if step == _CANDIDATES:
        return tuple(_candidates(shape))
    whole = _of_whole_gpus(shape.count or 1, step) if shape.has_whole_gpus else ()
    return (*whole, *(each for some in shape.slices for each in _of_slices(some, step)))


def _of_whole_gpus(count: int, step: int) -> tuple[Asking, ...]:
    half = count // 2
    if step == 0:
        return (Asking(1, gpus_in_words(1)),)
    if step == 1:
        return tuple(Asking(half, f"{gpus_in_words(half)} ({which})", True) for which in _AT_ONCE if half)
    return (Asking(count, gpus_in_words(count)),) if count > 1 else ()


def _of_slices(slices: Slices, step: int) -> Iterator[Asking]:
    """Never more than one: a process would see the first of them, and nobody else could have the others."""
    if step == 0:
        yield one_slice(slices)
    elif step == 1 and slices.count > 1:
        yield from (one_slice(slices, which) for which in _AT_ONCE)


def _candidates(shape: Shape) -> Iterator[Asking]:
    """One candidate of every kind that there is, and two of a kind that is alone."""
    kinds = [Asking(gpus, gpus_in_words(gpus)) for gpus in _sizes(shape)] + [one_slice(each) for each in shape.slices]
    for number, each in enumerate(kinds if len(kinds) > 1 else kinds * 2, start=1):
        yield replace(each, called=f"{each.called} (candidate {number})", is_candidate=True)


def _sizes(shape: Shape) -> list[int]:
    if not shape.has_whole_gpus:
        return []
    return sorted({1, max(1, (shape.count or 1) // 2)})


def one_slice(slices: Slices, which: str = "") -> Asking:
    called = f"1 slice {slices.profile}{f' ({which})' if which else ''}"
    return Asking(1, called, bool(which), slices.resource, slices.profile)
