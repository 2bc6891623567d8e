"""What was read of a node's state, besides its runtimes: a part each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from nodeworthy.boot.content import Content
from nodeworthy.facts.boot.written_text import Reading
from nodeworthy.facts.node.disks import NodeClock, NodeRoom, NodeStorage
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.facts.node.gpus import NodeDevices, NodeDriver, NodeSmi
from nodeworthy.facts.node.units import NodeBoot, NodeKubelet, NodeNodeadm
from nodeworthy.facts.registry.hosts_toml import HostsToml
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, ToGive, skip


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


@dataclass(frozen=True)
class Docker:
    """A Docker that runs on the node."""

    place: Place
    # What it says itself: the registries that it trusts without TLS, by name, and every range of addresses.
    trusts: Located[frozenset[str]]
    # Its daemon.json as it is now; None where there is none.
    file: Reading | None


@dataclass(frozen=True)
class NodeRegistries:
    place: Place
    # By the folder that holds them all, then by the one that they lie in: a registry's name, or _default.
    files: Mapping[str, Mapping[str, HostsToml]]
    # By name, without a port; None where the node has no address for it.
    addresses: Mapping[str, Located[str | None]]
    # registries.yaml of k3s and RKE2, by path.
    lists: Mapping[str, Located[Content]]
    # None where none runs.
    docker: Docker | None
    # Whether anybody asked for the lists and for Docker.
    is_all: bool

    def file_for(self, folders: Sequence[str], *names: str) -> HostsToml | None:
        """The first in these folders: of the registry, of the one that it mirrors, else of all."""
        wanted = (*names, "_default")
        found = (self.files.get(folder.rstrip("/"), {}).get(name) for name in wanted for folder in folders)
        return next((each for each in found if each is not None), None)

    def names_in(self, folders: Sequence[str]) -> str:
        return ", ".join(name for folder in folders for name in self.files.get(folder.rstrip("/"), {}))


T = TypeVar("T")


@dataclass(frozen=True)
class Seen:
    """None is what a recording does not have because it was made before that was read."""

    # Whether the boot script has ended: what is not there yet may still come.
    boot_ended: Located[bool]
    kubelet: NodeKubelet | None = None
    driver: NodeDriver | None = None
    devices: NodeDevices | None = None
    boot: NodeBoot | None = None
    clock: NodeClock | None = None
    room: NodeRoom | None = None
    kernel_log: NodeKernelLog | None = None
    storage: NodeStorage | None = None
    registries: NodeRegistries | None = None
    firewall: NodeFirewall | None = None
    # Also where the driver was not to be asked.
    smi: NodeSmi | None = None
    # Also where the node has none.
    nodeadm: NodeNodeadm | None = None


def read_then(part: T | None, what: str) -> T:
    """A part of a recording; skips where it is too old to have it."""
    if part is None:
        skip(ToGive(f"this recording was made before {what} was read", "record the node anew"))
    return part
