"""Puts together the nodes of which the same is known: which containerd their kubelets use, and from where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_labels import POOL
from nodeworthy.facts.fleet.gpu_pool import GpuPool, gpu_pool
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.containerd import Containerd
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, Unknown


@dataclass(frozen=True)
class RuntimeGroup:
    nodes: tuple[ClusterNode, ...]
    runtime: Located[Containerd]
    pool: GpuPool | None
    # Why it can't be asked at all, where no fleet was given.
    silent: str | None
    # Where the fleet says it, and what each node says of itself, by its name.
    declared: tuple[Related, ...] = ()
    said: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Answer:
    runtime: Located[Containerd]
    pool: GpuPool | None
    why: str

    @property
    def key(self) -> tuple[str | None, ...]:
        state = self.runtime.state
        pool = self.pool.name if self.pool else None
        if isinstance(state, Unknown):
            return pool, state.why
        return pool, state.value.runtime, state.value.config, state.value.socket


def group_nodes(nodes: Iterable[ClusterNode], fleet: Fleet | None) -> Iterator[RuntimeGroup]:
    by_answer: dict[tuple[str | None, ...], list[tuple[ClusterNode, _Answer]]] = defaultdict(list)
    for node in nodes:
        answer = _of_fleet(node, fleet) if fleet is not None else _of_itself(node)
        by_answer[answer.key].append((node, answer))
    for together in by_answer.values():
        first = together[0][1]
        state = first.runtime.state
        silent = state.why if fleet is None and isinstance(state, Unknown) else None
        declared = (first.pool.declares_its_runtime(),) if first.pool is not None else ()
        said = {node.name: answer.why for node, answer in together}
        yield RuntimeGroup(tuple(node for node, _ in together), first.runtime, first.pool, silent, declared, said)


def unseen_group(names: Iterable[str], why: str, *, silent: bool) -> RuntimeGroup:
    """Nodes of which only the names are known, from their pods."""
    nodes = tuple(ClusterNode(name) for name in names)
    return RuntimeGroup(nodes, Located.unknown(why, Place(subject="nodes")), None, why if silent else None)


def _of_itself(node: ClusterNode) -> _Answer:
    return _Answer(node.containerd, None, f"{node.title} says: {node.says or 'nothing of its distribution'}")


def _of_fleet(node: ClusterNode, fleet: Fleet) -> _Answer:
    """Toolkits run on GPU nodes, so only a node that says so itself belongs to a pool without GPUs."""
    member = pool_of(node, fleet.pools if POOL in node.labels else fleet.gpu_pools)
    if member.pool is None:
        says = f"{node.title} says: {node.says or 'nothing of its distribution'}"
        return _Answer(Located.unknown(member.why, node.place), None, says)
    pool = gpu_pool(member.pool)
    runtime = pool.runtime
    if isinstance(runtime.state, Unknown) and isinstance(node.containerd.state, Known):
        runtime = node.containerd  # the fleet leaves it open, the node does not
    return _Answer(runtime, pool, f"{node.title} belongs to {pool.title}: {member.why}")
