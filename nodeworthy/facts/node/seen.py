"""What was read of a node's state, besides its runtimes: a part each, in a file of its own."""

from __future__ import annotations

from typing import TypeVar

from nodeworthy.facts.node.boot import NodeBoot
from nodeworthy.facts.node.clock import NodeClock
from nodeworthy.facts.node.devices import NodeDevices
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.facts.node.kernel_log import NodeKernelLog
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.facts.node.nodeadm import NodeNodeadm
from nodeworthy.facts.node.registries import NodeRegistries
from nodeworthy.facts.node.room import NodeRoom
from nodeworthy.facts.node.smi import NodeSmi
from nodeworthy.facts.node.storage import NodeStorage
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, ToGive, skip

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
