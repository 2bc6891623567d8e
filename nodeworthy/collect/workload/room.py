"""What a piece asks for beside its GPUs: enough to feed them, and never more than a small node has to give."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.accept.measure import Shape
from nodeworthy.known.resources import GPU
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Enough for what loads its data, and for what it holds.
CPUS_A_GPU, GIB_A_GPU = 4, 16
# Of what a node has for work; the rest is its own daemons', which stay where they are.
_SHARE = 2 / 3


# A part of a GPU by MIG, as gres.conf calls it.
_SLICE = pattern(r"(?:.*[_-])?((?:\d+c\.)?\d+g\.\d+gb.*)")


def slice_profile(gres: str) -> str:
    """The profile of MIG, where a gres of this type is a slice of a GPU; else empty."""
    found = _SLICE.fullmatch(gres)
    return found[1].replace("+", ".") if found is not None else ""


@dataclass(frozen=True)
class Room:
    gpus: int
    cpus: int
    memory_gib: int
    # Of what Kubernetes counts, the one in which GPUs are asked for.
    resource: str = GPU

    @property
    def threads(self) -> int:
        """The threads of each process; there is one process for each GPU."""
        return max(1, self.cpus // self.gpus)


# What sites allow whoever asks for a part of a GPU.
ROOM_OF_A_SLICE = Room(gpus=1, cpus=1, memory_gib=16)


def room_for(gpus: int, shapes: Sequence[Shape]) -> Room:
    """The room on whichever of these nodes has least; for some of a node's GPUs, that share of it."""
    cpus = [part(each.cpus, gpus, each) for each in shapes if each.cpus is not None]
    memory = [part(each.memory_gib, gpus, each) for each in shapes if each.memory_gib is not None]
    return Room(gpus, min([CPUS_A_GPU * gpus, *cpus]), min([GIB_A_GPU * gpus, *memory]))


def part(amount: float, gpus: int, shape: Shape) -> int:
    there = (shape.count or 0) + sum(each.count for each in shape.slices)
    return max(1, int(amount * _SHARE * min(1.0, gpus / (there or gpus))))
