"""A node of a cluster that is dedicated to profiling, and what of DCGM runs on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.profiling.nodes import is_dedicated
from nodeworthy.known.operator_parts import HOLDS_COUNTERS
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

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
