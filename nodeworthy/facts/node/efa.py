"""EFA as a node has it: interfaces on the bus, and those that the kernel offers."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.node.gpus import Device
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.known.efa import efa_of
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Findings, Known, Located, Place, fail, need, skip


@dataclass(frozen=True)
class NodeEfa:
    called: ClassVar[str] = "a node's EFA"

    place: Place
    # Those on the bus.
    there: Located[tuple[Device, ...]]
    # Those that the kernel offers to programs.
    offered: Located[tuple[str, ...]]


def efa_drafts(efa: NodeEfa, identity: NodeIdentity, slow: str) -> Findings:
    there, kind = need(efa.there), _instance_type(identity)
    has = efa_of(kind)
    if not there and not (_works_together(identity, kind) and has is not None and has.interfaces):
        skip("this node has no EFA, and nothing asks for it")
    if has is not None and len(there) != has.interfaces:
        yield fail(
            efa,
            "not every EFA interface of the type is attached",
            is_=f"{len(there)} EFA interfaces",
            should=f"{has.interfaces}, as {kind} has",
            cause=slow,
        )
    yield from _unused(efa, len(there), slow)


def _unused(efa: NodeEfa, there: int, slow: str) -> Findings:
    if len(need(efa.offered)) < there:
        yield fail(
            efa,
            "EFA interfaces are on the bus, and the kernel does not offer them",
            is_=f"{len(need(efa.offered))} in /sys/class/infiniband",
            should=str(there),
            cause=f"the efa module is not loaded, or does not know them: {slow}",
            remedy="modprobe efa, and install aws-efa-installer in the image",
        )


def _instance_type(identity: NodeIdentity) -> str:
    pool = identity.known_pool
    if identity.instance_type or pool is None or pool.instance_type is None:
        return identity.instance_type
    return pool.instance_type.state.value if isinstance(pool.instance_type.state, Known) else ""


def _works_together(identity: NodeIdentity, kind: str) -> bool:
    """A pool of several nodes whose GPUs talk through NVSwitches."""
    pool = identity.known_pool
    of_type = gpus_of(kind)
    return pool is not None and pool.nodes > 1 and of_type is not None and of_type.nvswitch
