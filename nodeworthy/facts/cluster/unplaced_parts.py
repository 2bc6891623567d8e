"""Pods of the GPU stack that no node takes: which labels they ask for that no node has, and who asks for these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta

from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.labelled_node import LabelledNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# An autoscaler may bring a node for it.
_COMES = timedelta(minutes=15)
_SHOWN = 3


@dataclass(frozen=True)
class UnplacedPart:
    """Pods of one maker that the scheduler has placed nowhere."""

    pods: tuple[ClusterPod, ...]
    # The labels that they ask for and that no node has, and those that nodes have in their place.
    missing: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    # The selector that OpenShift gives to all pods of their project.
    of_project: str = ""

    @property
    def first(self) -> ClusterPod:
        return self.pods[0]

    @property
    def place(self) -> Place:
        return self.first.place

    @property
    def is_by_its_project(self) -> bool:
        """Whether it is its project that asks for what no node has."""
        return any(each in self.of_project.split(",") for each in self.missing)


def unplaced_parts(
    pods: Iterable[ClusterPod],
    nodes: Collection[LabelledNode],
    now: datetime | None,
    *,
    of_projects: Mapping[str, str],
) -> Iterator[UnplacedPart]:
    """Finds the parts that wait for a node for long. Of those that ask for GPUs themselves, another rule says why."""
    found: dict[tuple[str, str], list[ClusterPod]] = {}
    for pod in pods:
        waits = pod.part and not pod.node and not pod.is_over and not pod.wants_gpus and pod.unplaced
        if waits and has_lasted(moment(pod.since), now, _COMES):
            found.setdefault((pod.namespace, pod.daemonset or pod.name), []).append(pod)
    for some in found.values():
        some.sort(key=lambda each: each.name)
        lacks = [(key, value) for key, value in some[0].chooses if nodes and not _has_any(nodes, key, value)]
        yield UnplacedPart(
            tuple(some),
            tuple(f"{key}={value}" for key, value in lacks),
            tuple(dict.fromkeys(each for key, _ in lacks for each in _alike(nodes, key)))[:_SHOWN],
            of_projects.get(some[0].namespace, ""),
        )


def _has_any(nodes: Iterable[LabelledNode], key: str, value: str) -> bool:
    return any(node.labels.get(key) == value for node in nodes)


def _alike(nodes: Iterable[LabelledNode], key: str) -> Iterator[str]:
    """The labels of nodes that are called the same, or of the same owner."""
    owner, slash, _ = key.partition("/")
    for node in nodes:
        for own, value in node.labels.items():
            if own == key or (slash and own.startswith(f"{owner}/")):
                yield f"{own}={value}" if value else own
