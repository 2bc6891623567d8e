"""In which portions a node is asked for its GPUs, as its users do: one, its two halves at once, and all of them."""

from __future__ import annotations

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Asking:
    """One request for GPUs of a node, which holds them only as long as it takes to say which came."""

    gpus: int
    # For whoever reads of it; no other asking of its node is called so.
    called: str
    # Whether it is made while another holds the rest: then it stays until both are there.
    is_beside: bool = False

    @property
    def environment(self) -> dict[str, str]:
        return {"NODEWORTHY_ASKING": self.called, "NODEWORTHY_BESIDE": "1" if self.is_beside else ""}


# One after the other: none begins before the last one's GPUs are free.
STEPS = 3
_AT_ONCE = ("first of two jobs", "second of two jobs")


def askings(count: int, step: int) -> tuple[Asking, ...]:
    """What a node with so many GPUs is asked for at once; nothing, where an earlier step was the same."""
    half = count // 2
    if step == 0:
        return (Asking(1, _gpus(1)),)
    if step == 1:
        return tuple(Asking(half, f"{_gpus(half)} ({which})", True) for which in _AT_ONCE if half)
    return (Asking(count, _gpus(count)),) if count > 1 else ()


def _gpus(count: int) -> str:
    return "1 GPU" if count == 1 else f"{count} GPUs"
