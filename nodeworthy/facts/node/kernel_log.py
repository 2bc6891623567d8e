"""What the log of a node's kernel says that is a fault."""

from __future__ import annotations

from typing import ClassVar

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
    called: ClassVar[str] = "a node's kernel log"

    place: Place
    xids: Located[tuple[XidLine, ...]]
    killed: tuple[OomLine, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    switches: tuple[SxidLine, ...] = ()
    # What the drivers of GPUs and of network cards say that is no Xid.
    of_drivers: tuple[str, ...] = ()


def same_gpu(one: str, other: str) -> bool:
    """00000000:CA:00.0 is 0000:ca:00.0, and 0000:ca:00 in the kernel's log."""
    return _short(one) == _short(other)


def _short(address: str) -> str:
    domain, _, rest = address.lower().strip().partition(":")
    return f"{domain[-4:]}:{rest.partition('.')[0]}"
