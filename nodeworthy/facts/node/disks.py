"""A node's clock, and the room that its disks have."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class NodeClock:
    called: ClassVar[str] = "a node's clock"

    place: Place
    # Whether the kernel counts its clock as synchronised.
    is_kept: Located[bool]
    # How far chrony says it is off, in seconds; None where there is no chrony.
    off_by: Located[float | None]


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
    called: ClassVar[str] = "the room on a node's disks"

    place: Place
    disks: Located[tuple[Disk, ...]]
    inodes: Located[tuple[Disk, ...]]
