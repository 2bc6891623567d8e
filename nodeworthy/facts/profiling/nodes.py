"""Nodes that are dedicated to profiling, by the labels that they register with or by what the fleet promises."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet, FleetsOperator
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.operator_parts import HOLDS_COUNTERS, PROFILING
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, NotKnown, Place, value_if_known

if TYPE_CHECKING:
    from nodeworthy.boot.effects import Joins
    from nodeworthy.facts.cluster.node import ClusterNode
    from nodeworthy.facts.cluster.pod import ClusterPod
    from nodeworthy.facts.operator.values import OperatorValues
    from nodeworthy.facts.pod.node_choice import Labels

INSTANCE_TYPE = "node.kubernetes.io/instance-type"


@dataclass(frozen=True)
class ProfilingNodes:
    called: ClassVar[str] = f"a node that is dedicated to profiling ({PROFILING[0]}={PROFILING[1]})"
    # Who registers as such, only the boot scripts of all pools say.
    whole_stack: ClassVar[bool] = True
    known_late: ClassVar[bool] = True

    place: Place
    title: str
    labels: Mapping[str, str]
    # Whether it was seen with which labels they register; the fleet alone only promises them.
    registered: bool = True
    # Why the boot script that says so can't be read.
    unread: str | None = None
    # Why they may be other nodes: a template writes their labels.
    doubt: str | None = None
    # No fleet declares them: what asks for them stands in another file, which is not the one that is judged.
    is_by_evidence: bool = False

    @property
    def as_labels(self) -> Labels:
        from nodeworthy.facts.pod.node_choice import Labels

        return Labels(self.labels)


@dataclass(frozen=True)
class DeclaredForProfiling:
    """Such nodes, and the fleet's operator: no other values of one were seen beside them."""

    called: ClassVar[str] = "a node that is dedicated to profiling, and the fleet's operator"

    nodes: ProfilingNodes
    operator: OperatorValues

    @property
    def place(self) -> Place:
        return self.nodes.place


@derive
def declared_for_profiling(
    nodes: ProfilingNodes, operator: FleetsOperator, _declared: DeclaredFleet
) -> Iterator[DeclaredForProfiling]:
    if nodes.registered:
        yield DeclaredForProfiling(nodes, operator.values)


def is_dedicated(labels: Mapping[str, str]) -> bool:
    return labels.get(PROFILING[0]) == PROFILING[1]


@derive
def registered_nodes(told: Sequence[BootScript | GpuPool | PoolDoor]) -> Iterator[ProfilingNodes]:
    """Those of which scripts say it, and those of pools that follow from what asks for nodes."""
    scripts = [each for each in told if isinstance(each, BootScript)]
    yield from _of_scripts(scripts)
    files = {each.place.file for each in scripts}
    doors = [each.pool if isinstance(each, PoolDoor) else each for each in told if not isinstance(each, BootScript)]
    for place, pool in {each.place: each for each in doors}.items():
        labels = {name: each.shown() for name, each in pool.machines.labels.items() if isinstance(each.state, Known)}
        if is_dedicated(labels) and place.file not in files:
            dedicated, title = pool.machines.labels[PROFILING[0]], f"the nodes of {pool.title}"
            yield ProfilingNodes(dedicated.place, title, labels, is_by_evidence=True)


def _of_scripts(scripts: Sequence[BootScript]) -> Iterator[ProfilingNodes]:
    seen: set[str] = set()
    for script in scripts:
        pools = [each.pool.name for each in script.pools]
        if script.read is None or script.userdata.unread:
            yield from _not_read(script, seen)
        seen.update(pools)
        for place, labels in registrations(script):
            if is_dedicated(labels):
                of = f"pool '{pools[0]}'" if len(pools) == 1 else "this boot script"
                yield ProfilingNodes(place, f"the profiling nodes of {of}", labels)
        yield from _hidden(script)


@derive
def promised_nodes(fleet: Fleet, scripts: Sequence[BootScript]) -> Iterator[ProfilingNodes]:
    """The nodes of pools that promise profiling and have no script here."""
    seen = {each.pool.name for script in scripts for each in script.pools}
    for pool in fleet.gpu_pools:
        if pool.profiling_dedicated and pool.name not in seen:
            labels = dict((PROFILING,))
            if (kind := value_if_known(pool.instance_type)) is not None:
                labels[INSTANCE_TYPE] = kind
            yield ProfilingNodes(pool.place, f"the profiling nodes of pool '{pool.name}'", labels, registered=False)


def _not_read(script: BootScript, seen: Container[str]) -> Iterator[ProfilingNodes]:
    for pool in (each.pool for each in script.pools):
        if pool.profiling_dedicated and pool.name not in seen:
            title = f"the profiling nodes of pool '{pool.name}'"
            yield ProfilingNodes(script.place, title, dict((PROFILING,)), unread=script.unread)


def _hidden(script: BootScript) -> Iterator[ProfilingNodes]:
    """Nodes of whose labels a template writes one that may be this: where it is named, or the fleet promises such."""
    from nodeworthy.boot.hidden_labels import may_be

    for join in _joins(script):
        known = dict(join.labels)
        label = may_be(PROFILING[0], join.hidden_labels) if not is_dedicated(known) else None
        promised = any(each.pool.profiling_dedicated for each in script.pools)
        if label is not None and (promised or label.startswith(PROFILING[0])):
            why = f"a template writes {label}"
            title = "the nodes of this boot script"
            yield ProfilingNodes(join.place, title, {**known, PROFILING[0]: PROFILING[1]}, unread=why, doubt=why)


def _joins(script: BootScript) -> list[Joins]:
    """None of a script that can't be read."""
    from nodeworthy.boot.effects import Joins

    try:
        return list(script.timeline.of(Joins))
    except NotKnown:
        return []


def registrations(script: BootScript) -> Iterator[tuple[Place, Mapping[str, str]]]:
    """Each way in which a script joins its node, with the labels."""
    joins = _joins(script)
    # Several NodeConfigs are merged into one.
    told = [each for each in joins if each.tells]
    if told:
        yield told[-1].place, {name: value for each in told for name, value in each.labels}
    yield from ((each.place, dict(each.labels)) for each in joins if not each.tells)


# The operator's own, and the chart's and NVIDIA's manifest.
_OPERATORS = ("nvidia-dcgm-exporter", "nvidia-dcgm")
_LABELS = (("app.kubernetes.io/name", "dcgm-exporter"), ("app", "dcgm-exporter"), ("k8s-app", "dcgm-exporter"))


@dataclass(frozen=True)
class WatchedNode:
    called: ClassVar[str] = "a node that is dedicated to profiling"

    node: ClusterNode
    # The pods of DCGM on it, as objects.
    exporters: tuple[str, ...]
    by_the_operator: bool

    @property
    def place(self) -> Place:
        return self.node.place

    @property
    def title(self) -> str:
        return self.node.title

    @property
    def remedy(self) -> str:
        if not self.by_the_operator:
            return "give the exporter's DaemonSet a node affinity that leaves such nodes out"
        labels = " ".join(f"{label}=false" for label, _ in HOLDS_COUNTERS.values())
        return (
            f"kubectl label node {self.node.name} --overwrite {labels}; and in the boot script, as labels go with nodes"
        )


def watched_nodes(nodes: Iterable[ClusterNode], pods: Iterable[ClusterPod]) -> Iterator[WatchedNode]:
    dedicated = {node.name: node for node in nodes if is_dedicated(node.labels)}
    there = [pod for pod in pods if pod.node in dedicated and not pod.is_over and _is_dcgm(pod)]
    for name, node in dedicated.items():
        own = [pod for pod in there if pod.node == name]
        yield WatchedNode(node, tuple(pod.object for pod in own), any(pod.daemonset in _OPERATORS for pod in own))


def _is_dcgm(pod: ClusterPod) -> bool:
    operators = pod.daemonset in _OPERATORS or pod.labels.get("app") in _OPERATORS
    return operators or any(pod.labels.get(name) == value for name, value in _LABELS)
