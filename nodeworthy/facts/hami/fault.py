"""What is wrong with HAMi in a cluster, as it is told: of its parts, its nodes, pods, and all that they ask for."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Place, Related


@dataclass(frozen=True)
class HamiPluginNodes:
    called: ClassVar[str] = "HAMi's device plugin in a cluster"

    place: Place
    faults: tuple[Draft, ...] = ()


@dataclass(frozen=True)
class Dimension:
    what: str
    asked: int
    has: int
    remedy: str


@dataclass(frozen=True)
class UsedUp:
    """Pods that wait, although they ask for no more than a GPU has: too little is left of each."""

    where: Place
    title: str
    # In its own unit: `40000 MB of GPU memory`.
    asked: str
    left: str
    held: tuple[Related, ...]
    remedy: str
    waiting: tuple[str, ...]


@dataclass(frozen=True)
class HamiSums:
    called: ClassVar[str] = "a cluster whose GPUs are shared"

    place: Place
    dimensions: tuple[Dimension, ...]
    # The pods that no node has taken.
    waiting: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    used_up: tuple[UsedUp, ...] = ()

    @property
    def first_short(self) -> Dimension | None:
        """What runs out the most."""
        short = [each for each in self.dimensions if each.asked > each.has]
        return max(short, key=lambda each: each.asked / max(each.has, 1), default=None)


@dataclass(frozen=True)
class UnmutatedPods:
    called: ClassVar[str] = "a pod that got around HAMi's webhook"

    fault: Draft

    @property
    def place(self) -> Place:
        return self.fault.where
