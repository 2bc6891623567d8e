"""How many GPUs the cluster counts on a node, against how many its type has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import ClassVar

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node import GPU, ClusterNode
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import COUNT, TYPE_COUNTS, counts_whole_gpus
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.fleet.pool_membership import pool_of
from nodeworthy.facts.gpus_in_words import gpus_in_words
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.cloud_gpus import gpus_of_machine, gpus_of_size
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place, Related

_STRATEGY, _SHARES_NOTHING = "nvidia.com/gpu.sharing-strategy", "none"
# Pods that wait are told with so many of the nodes that would take them, and not with a thousand.
_MOST = 20


@dataclass(frozen=True)
class Expected:
    count: int
    says: Related
    # Feature discovery has counted them on the node itself: there they are, and the plugin offers fewer.
    is_found_there: bool = False


@dataclass(frozen=True)
class NodeGpuCount:
    called: ClassVar[str] = "a node that offers GPUs"

    node: NodeGpus
    # None where nobody says how many it has.
    expected: Expected | None
    # Pods that would run there, or would have been admitted, if all of its devices were well.
    waiting: tuple[str, ...] = ()
    # What of the stack does not run there: a driver, or the plugin that registered its devices.
    stopped: ClusterPod | None = None

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
        if set(self.node.capacity) != {GPU} or not self.node.capacity[GPU]:
            return False
        return not self.node.shared and counts_whole_gpus(self.node.labels)


def node_gpu_counts(
    clustered: Mapping[str, ClusterNode],
    fleet: Fleet | None,
    waiting: Iterable[AskingPod],
    world: PendingWorld,
    refused: Mapping[str, Sequence[str]],
    *,
    stopped: Mapping[str, ClusterPod],
) -> Iterator[NodeGpuCount]:
    """The counts of nodes that offer any GPU. Where none is offered, other rules say why. `stopped` is by node what of
    the stack does not run."""
    waiting = list(waiting)
    nodes = [
        each for each in world.nodes.values() if any(each.capacity.values()) and each.name not in world.unoffered.nodes
    ]
    expected = {each.name: _expected(each, clustered.get(each.name), fleet) for each in nodes}
    victims, too_large = _victims(waiting, world), _too_large(waiting, expected, world)
    for node in nodes:
        waits = (victims.get(node.name, ()), refused.get(node.name, ()), too_large.get(node.name, ()))
        yield NodeGpuCount(node, expected[node.name], tuple(sorted({*chain(*waits)})), stopped.get(node.name))


def _too_large(
    waiting: Iterable[AskingPod], expected: Mapping[str, Expected | None], world: PendingWorld
) -> Mapping[str, set[str]]:
    """The pods, by node, that would run there if it counted as many as its machine has."""
    found: dict[str, set[str]] = defaultdict(set)
    alike: dict[tuple[str, int], list[AskingPod]] = defaultdict(list)
    for pod in waiting:
        alike[pod.choice.written, pod.amounts.get(GPU, 0)].append(pod)
    for (_, amount), pods in alike.items():
        counts = ((node, expected.get(node.name)) for node in world.chosen(pods[0].choice, GPU))
        short = (node for node, has in counts if has is not None and node.capacity[GPU] < amount <= has.count)
        for node in islice(short, _MOST):
            found[node.name].update(each.object for each in pods)
    return found


def _victims(waiting: Iterable[AskingPod], world: PendingWorld) -> Mapping[str, set[str]]:
    """The pods, by node, that would run there if its devices were well."""
    found: dict[str, set[str]] = defaultdict(set)
    alike: dict[tuple[str, str, int], list[AskingPod]] = defaultdict(list)
    for pod in waiting:
        for resource, amount in pod.amounts.items():
            alike[pod.choice.written, resource, amount].append(pod)
    for (_, resource, amount), pods in alike.items():
        for node in islice(_that_would_take(pods[0], resource, amount, world), _MOST):
            found[node.name].update(each.object for each in pods)
    return found


def _that_would_take(pod: AskingPod, resource: str, amount: int, world: PendingWorld) -> Iterator[NodeGpus]:
    for node in world.chosen(pod.choice, resource):
        lost = 0 if node.name in world.unoffered.nodes else node.unhealthy(resource)
        if lost and _would_fit(world.free(node, resource), lost, amount) and not pod.choice.kept_away(node):
            yield node


def _would_fit(free: int, lost: int, asked: int) -> bool:
    return free < asked <= free + lost


def _expected(node: NodeGpus, clustered: ClusterNode | None, fleet: Fleet | None) -> Expected | None:
    pool = pool_of(clustered, fleet.gpu_pools).pool if fleet is not None and clustered is not None else None
    if pool is not None and isinstance(pool.gpus_per_node.state, Known):
        count = pool.gpus_per_node.state.value
        return Expected(count, Related(pool.place, f"a node of pool '{pool.name}' has {gpus_in_words(count)}"))
    typical = gpus_of(node.instance_type)
    if typical is not None and typical.count >= 1:
        return Expected(typical.count, Related(node.place, f"{typical.type} has {typical.count} × {typical.gpu}"))
    machine = gpus_of_machine(node.instance_type) or gpus_of_size(node.instance_type)
    if machine is not None and machine.count is not None and machine.gpu is not None:
        return Expected(machine.count, Related(node.place, f"{node.instance_type} has {machine.count} × {machine.gpu}"))
    started = next((name for name in TYPE_COUNTS if node.labels.get(name, "").isdecimal()), None)
    if started is not None and 0 < len(node.labels[started]) < 4:
        count = int(node.labels[started])
        told = f"its machine was started with {gpus_in_words(count)} ({started}={count})"
        return Expected(count, Related(node.place, told)) if count else None
    counted = node.labels.get(COUNT, "")
    if not counted.isdecimal() or len(counted) > 3 or node.labels.get(_STRATEGY, _SHARES_NOTHING) != _SHARES_NOTHING:
        return None
    says = Related(node.place, f"feature discovery found {counted} there ({COUNT}={counted})")
    return Expected(int(counted), says, is_found_there=True)
