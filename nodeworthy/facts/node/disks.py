"""A node's clock, the room that its disks have, and the storage that it has mounted across the network."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class NodeClock:
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
    place: Place
    disks: Located[tuple[Disk, ...]]
    inodes: Located[tuple[Disk, ...]]


@dataclass(frozen=True)
class Mounted:
    source: str
    where: str
    kind: str
    # False where it was asked for its size, and did not answer.
    answers: bool


@dataclass(frozen=True)
class Entry:
    """A line of fstab."""

    place: Place
    source: str
    where: str
    kind: str
    options: tuple[str, ...]

    def has(self, option: str) -> bool:
        return any(each == option or each.startswith(f"{option}=") for each in self.options)


@dataclass(frozen=True)
class NodeStorage:
    place: Place
    mounted: Located[tuple[Mounted, ...]]
    fstab: Located[tuple[Entry, ...]]

    def at(self, path: str) -> Mounted | None:
        known = getattr(self.mounted.state, "value", ())
        return next((each for each in known if each.where.rstrip("/") == path.rstrip("/")), None)
