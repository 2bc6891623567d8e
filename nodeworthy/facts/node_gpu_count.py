"""How many GPUs the cluster counts on a node, against how many its type has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nodeworthy.facts.asking_pod import AskingPod
from nodeworthy.facts.cluster_node import GPU, ClusterNode
from nodeworthy.facts.node_gpus import NodeGpus
from nodeworthy.facts.pool_membership import pool_of
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.instances import gpus_of
from nodeworthy.verdict import Known, Place, Related

# Of a device plugin that makes several of one GPU, or slices of it: the count is not that of the GPUs.
_REPLICAS, _MIG = "nvidia.com/gpu.replicas", "nvidia.com/mig.strategy"


@dataclass(frozen=True)
class Expected:
    count: int
    says: Related


@dataclass(frozen=True)
class NodeGpuCount:
    called: ClassVar[str] = "a node that offers GPUs"

    node: NodeGpus
    # None where nobody says how many it has.
    expected: Expected | None
    # Pods that would run there if all of its devices were well.
    waiting: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.node.place

    @property
    def unhealthy(self) -> Mapping[str, int]:
        found = {name: self.node.unhealthy(name) for name in self.node.capacity}
        return {name: count for name, count in found.items() if count}

    @property
    def lost(self) -> int:
        """How many its type has and it does not even count."""
        if self.expected is None or not self.counts_gpus:
            return 0
        return max(self.expected.count - self.node.capacity.get(GPU, 0), 0)

    @property
    def counts_gpus(self) -> bool:
        labels, replicas = self.node.labels, self.node.labels.get(_REPLICAS, "1")
        if set(self.node.capacity) != {GPU} or not self.node.capacity[GPU]:
            return False
        return not self.node.shared and replicas in ("0", "1") and labels.get(_MIG, "none") == "none"


def node_gpu_counts(
    nodes: Iterable[NodeGpus],
    clustered: Mapping[str, ClusterNode],
    fleet: Fleet | None,
    waiting: Iterable[AskingPod],
    held: Mapping[str, Sequence[AskingPod]],
) -> Iterator[NodeGpuCount]:
    """Of nodes that offer any: where none is offered, other rules say why."""
    alike: dict[tuple[object, ...], list[AskingPod]] = defaultdict(list)
    for pod in waiting:
        alike[pod.choice.written, *sorted(pod.amounts.items())].append(pod)
    for node in nodes:
        if any(node.capacity.values()):
            count = NodeGpuCount(node, _expected(node, clustered.get(node.name), fleet))
            if count.unhealthy:
                victims = _waiting(node, count.unhealthy, alike.values(), held.get(node.name, ()))
                count = NodeGpuCount(node, count.expected, tuple(sorted(victims)))
            yield count


def _waiting(
    node: NodeGpus, unhealthy: Mapping[str, int], alike: Iterable[Sequence[AskingPod]], held: Sequence[AskingPod]
) -> Iterator[str]:
    for resource, count in unhealthy.items():
        taken = sum(each.amounts.get(resource, 0) for each in held)
        free = node.allocatable.get(resource, 0) - taken
        for pods in alike:
            asked, choice = pods[0].amounts.get(resource, 0), pods[0].choice
            if free < asked <= free + count and choice.takes(node.labels, node.name) and not choice.kept_away(node):
                yield from (each.object for each in pods)


def _expected(node: NodeGpus, clustered: ClusterNode | None, fleet: Fleet | None) -> Expected | None:
    pool = pool_of(clustered, fleet.gpu_pools).pool if fleet is not None and clustered is not None else None
    if pool is not None and isinstance(pool.gpus_per_node.state, Known):
        count = pool.gpus_per_node.state.value
        return Expected(count, Related(pool.place, f"a node of pool '{pool.name}' has {count} GPUs"))
    typical = gpus_of(node.instance_type)
    if typical is None or typical.count < 1:
        return None
    return Expected(typical.count, Related(node.place, f"{typical.type} has {typical.count} × {typical.gpu}"))
