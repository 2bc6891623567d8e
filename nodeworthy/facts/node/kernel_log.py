"""What the kernel's log of this boot says that is wrong, and only that."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class XidLine:
    """A fault that NVIDIA's driver reports."""

    gpu: str
    number: int
    line: str


@dataclass(frozen=True)
class SxidLine:
    """A fault that an NVSwitch reports, and that stops its links."""

    switch: str
    number: int
    line: str


@dataclass(frozen=True)
class OomLine:
    """A process that the kernel killed because the machine, and not its container, had no memory left."""

    process: str
    line: str


@dataclass(frozen=True)
class Blocked:
    """A packet that ufw dropped."""

    came_by: str
    to_go_by: str
    source: str
    target: str
    line: str

    @property
    def way(self) -> str:
        return f"from {self.came_by} to {self.to_go_by or 'the node itself'}"


@dataclass(frozen=True)
class NodeKernelLog:
    place: Place
    xids: Located[tuple[XidLine, ...]]
    killed: tuple[OomLine, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    switches: tuple[SxidLine, ...] = ()
