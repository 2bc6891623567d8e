"""The ledger of a cluster's GPUs: for every node and type what there is, and what is held, free, unhealthy and waited
for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.idle_holders import Doing, GpuUsage, doing
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.hami.shares import SharedDevice
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.known.prices import Price, price_of
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class Held:
    """What the pods of one maker hold on one node, all of them doing the same."""

    made_by: str
    pods: tuple[str, ...]
    amount: int
    priority: int
    since: datetime | None
    doing: Doing
    evidence: str
    # Static pods are nobody's to delete; those that terminate hold theirs until they are gone.
    static: int = 0
    terminating: int = 0


@dataclass(frozen=True)
class NodeRow:
    node: NodeGpus
    resource: str
    held_by: tuple[Held, ...]

    @property
    def type(self) -> str:
        return self.node.instance_type or self.node.gpu or "(unknown)"

    @property
    def capacity(self) -> int:
        return self.node.capacity.get(self.resource, 0)

    @property
    def allocatable(self) -> int:
        return self.node.allocatable.get(self.resource, 0)

    @property
    def unhealthy(self) -> int:
        return self.node.unhealthy(self.resource)

    @property
    def held(self) -> int:
        return sum(each.amount for each in self.held_by)

    @property
    def free(self) -> int:
        return max(self.allocatable - self.held, 0)

    def doing(self, what: Doing) -> int:
        return sum(each.amount for each in self.held_by if each.doing is what)


@dataclass(frozen=True)
class TypeRow:
    type: str
    resource: str
    nodes: tuple[NodeRow, ...]
    # Of one GPU; None where no source tells it, or where a count is not one of GPUs.
    price: Price | None

    def total(self, what: str) -> int:
        return sum(getattr(each, what) for each in self.nodes)

    def doing(self, what: Doing) -> int:
        return sum(each.doing(what) for each in self.nodes)

    @property
    def idle_per_day(self) -> float | None:
        """What is free and what is held without work costs so much a day."""
        if self.price is None:
            return None
        return (self.total("free") + self.doing(Doing.IDLE)) * self.price.per_gpu_day


@dataclass(frozen=True)
class AskedFor:
    made_by: str
    resource: str
    pods: tuple[str, ...]
    amount: int
    priority: int
    since: datetime | None
    gates: tuple[str, ...]


@dataclass(frozen=True)
class Ledger:
    nodes: tuple[NodeRow, ...]
    types: tuple[TypeRow, ...]
    waiting: tuple[AskedFor, ...]
    # Pods on nodes that were not seen.
    elsewhere: int
    has_usage: bool
    # Why more may be held than is counted here.
    in_part: str | None = None
    # Why nothing told what GPUs do, where it was asked for.
    no_usage: str = ""
    # The GPUs that HAMi shares.
    devices: tuple[SharedDevice, ...] = ()
    # Nodes that have GPUs and offer none of them, with how many they have, where anybody says it.
    unoffered: Mapping[str, int | None] = field(default_factory=dict)
    # Of these, only a part was read; of pods perhaps none at all, so that nobody knows who holds what.
    nodes_in_part: bool = False
    pods_in_part: bool = False
    pods_unseen: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.nodes or self.waiting or self.unoffered)

    def total(self, what: str) -> int:
        return sum(getattr(each, what) for each in self.nodes)

    def doing(self, what: Doing) -> int:
        return sum(each.doing(what) for each in self.nodes)


def ledger(
    nodes: Mapping[str, NodeGpus],
    held: Mapping[str, Sequence[AskingPod]],
    waiting: Iterable[AskingPod],
    usage: GpuUsage,
    in_part: str | None = None,
) -> Ledger:
    rows = tuple(row for name in sorted(nodes) for row in _of_node(nodes[name], held.get(name, ()), usage))
    elsewhere = sum(len(pods) for name, pods in held.items() if name not in nodes)
    return Ledger(
        rows, tuple(_types(rows)), tuple(_grouped_askers(waiting)), elsewhere, bool(usage), in_part, usage.unseen
    )


def _of_node(node: NodeGpus, pods: Sequence[AskingPod], usage: GpuUsage) -> Iterator[NodeRow]:
    resources = {*node.capacity, *(name for pod in pods for name in pod.amounts)}
    for resource in sorted(filter(holds_a_gpu, resources)):
        own = [pod for pod in pods if pod.amounts.get(resource)]
        if own or node.capacity.get(resource):
            yield NodeRow(node, resource, tuple(_grouped_holders(own, resource, usage)))


def _grouped_holders(pods: Iterable[AskingPod], resource: str, usage: GpuUsage) -> Iterator[Held]:
    together: dict[tuple[str, Doing, str], list[AskingPod]] = defaultdict(list)
    for pod in pods:
        together[pod.made_by, *doing(pod, usage)].append(pod)
    for (made_by, what, evidence), some in sorted(together.items()):
        yield Held(
            made_by,
            tuple(sorted(each.name for each in some)),
            sum(each.amounts[resource] for each in some),
            max(each.priority for each in some),
            _since(some),
            what,
            evidence,
            sum(each.static for each in some),
            sum(each.terminating for each in some),
        )


def _types(rows: Iterable[NodeRow]) -> Iterator[TypeRow]:
    together: dict[tuple[str, str], list[NodeRow]] = defaultdict(list)
    for row in rows:
        together[row.type, row.resource].append(row)
    for (type_, resource), some in sorted(together.items()):
        whole = resource == "nvidia.com/gpu" and not any(each.node.shared for each in some)
        yield TypeRow(type_, resource, tuple(some), price_of(type_) if whole else None)


def _grouped_askers(pods: Iterable[AskingPod]) -> Iterator[AskedFor]:
    together: dict[tuple[str, str, int, tuple[str, ...]], list[AskingPod]] = defaultdict(list)
    for pod in pods:
        for resource in filter(holds_a_gpu, pod.amounts):
            together[pod.made_by, resource, pod.priority, pod.gates].append(pod)
    for (made_by, resource, priority, gates), some in sorted(together.items()):
        amount = sum(each.amounts[resource] for each in some)
        names = tuple(sorted(each.name for each in some))
        yield AskedFor(made_by, resource, names, amount, priority, _since(some), gates)


def _since(pods: Iterable[AskingPod]) -> datetime | None:
    return min((each.since for each in pods if each.since is not None), default=None)
