"""EFA as a node has it: interfaces on the bus, and those that the kernel offers."""

from __future__ import annotations

from nodeworthy.facts.node.gpus import NodeDevices, efa_devices
from nodeworthy.facts.node.node import Node
from nodeworthy.facts.node.seen import read_then
from nodeworthy.known.efa import efa_of
from nodeworthy.known.instances import gpus_of
from nodeworthy.verdict import Findings, Known, fail, need, skip


def told_of(node: Node, slow: str) -> Findings:
    devices = read_then(node.seen.devices, "the PCI bus")
    there = efa_devices(need(devices.bus))
    kind = _instance_type(node)
    has = efa_of(kind)
    if not there and not (_works_together(node, kind) and has is not None and has.interfaces):
        skip("this node has no EFA, and nothing asks for it")
    if has is not None and len(there) != has.interfaces:
        yield fail(
            devices.place.about("EFA"),
            "not every EFA interface of the type is attached",
            is_=f"{len(there)} EFA interfaces",
            should=f"{has.interfaces}, as {kind} has",
            cause=slow,
        )
    yield from _unused(devices, len(there), slow)


def _unused(devices: NodeDevices, there: int, slow: str) -> Findings:
    if len(need(devices.efa)) < there:
        yield fail(
            devices.place.about("EFA"),
            "EFA interfaces are on the bus, and the kernel does not offer them",
            is_=f"{len(need(devices.efa))} in /sys/class/infiniband",
            should=str(there),
            cause=f"the efa module is not loaded, or does not know them: {slow}",
            remedy="modprobe efa, and install aws-efa-installer in the image",
        )


def _instance_type(node: Node) -> str:
    pool = node.declared.state.value if isinstance(node.declared.state, Known) else None
    if node.instance_type or pool is None or pool.instance_type is None:
        return node.instance_type
    return pool.instance_type.state.value if isinstance(pool.instance_type.state, Known) else ""


def _works_together(node: Node, kind: str) -> bool:
    """A pool of several nodes whose GPUs talk through NVSwitches."""
    pool = node.declared.state.value if isinstance(node.declared.state, Known) else None
    of_type = gpus_of(kind)
    return pool is not None and pool.nodes > 1 and of_type is not None and of_type.nvswitch
