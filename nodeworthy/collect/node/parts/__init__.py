"""The parts of a node, each a fact of its own, read from what the node said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from nodeworthy.collect.node.parts.boot import boot, boot_end, kernel_log
from nodeworthy.collect.node.parts.disks import clock, room, storage
from nodeworthy.collect.node.parts.firewall import firewall
from nodeworthy.collect.node.parts.gpus import driver, efa, fabric, gpus, module, smi
from nodeworthy.collect.node.parts.kubelet import kubelet
from nodeworthy.collect.node.parts.registries import registries
from nodeworthy.collect.node.parts.runtimes import runtimes, toolkit
from nodeworthy.collect.node.parts.units import nodeadm
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.boot import BootEnd, NodeBoot
from nodeworthy.facts.node.disks import NodeClock, NodeRoom
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.efa import NodeEfa
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.facts.node.gpus import HostGpus, NodeSmi
from nodeworthy.facts.node.kernel_log import NodeKernelLog
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.facts.node.module import NodeModule
from nodeworthy.facts.node.nodeadm import NodeNodeadm
from nodeworthy.facts.node.registries import NodeRegistries
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit
from nodeworthy.facts.node.storage import NodeStorage
from nodeworthy.scene import Fact, Missing
from nodeworthy.verdict import Place

# Each is read by itself: what could not be read of one takes nothing away from another.
READERS: Final[Mapping[type[Any], Callable[[Recording, Place], Fact | Missing]]] = {
    BootEnd: boot_end,
    HostGpus: gpus,
    NodeBoot: boot,
    NodeClock: clock,
    NodeDriver: driver,
    NodeEfa: efa,
    NodeFabric: fabric,
    NodeFirewall: firewall,
    NodeKernelLog: kernel_log,
    NodeKubelet: kubelet,
    NodeModule: module,
    NodeNodeadm: nodeadm,
    NodeRegistries: registries,
    NodeRoom: room,
    NodeRuntimes: runtimes,
    NodeSmi: smi,
    NodeStorage: storage,
    NodeToolkit: toolkit,
}


def read(recording: Recording) -> Mapping[type[Any], Fact | Missing]:
    """Every part, or why it is not there."""
    host = Place(host=recording.host)
    return {kind: reader(recording, host) for kind, reader in READERS.items()}
