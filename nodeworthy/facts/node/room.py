"""How much room a node's disks have."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class Disk:
    place: Place
    device: str
    mount: str
    # Of blocks or of inodes.
    size: int
    free: int

    @property
    def percent(self) -> float:
        return 100 * self.free / self.size if self.size else 100.0


@dataclass(frozen=True)
class NodeRoom:
    place: Place
    disks: Located[tuple[Disk, ...]]
    inodes: Located[tuple[Disk, ...]]
