"""Budgets that keep pods on nodes which the upgrade of a driver has to empty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from nodeworthy.documents.plain import mapping_at, number_at
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# Source: NVIDIA/k8s-operator-libs: pkg/upgrade/consts.go, pod_manager.go, drain_manager.go (both evict).
STATE = "nvidia.com/gpu-driver-upgrade-state"
_ONLY_GPUS = "pod-deletion-required"
_EMPTIES = (_ONLY_GPUS, "drain-required", "upgrade-failed")


@dataclass(frozen=True)
class Budget:
    name: tuple[str, str]
    selector: Mapping[str, Any]
    # It lets none go: all that there are have to stay.
    is_spent: bool

    @property
    def object(self) -> str:
        return "/".join(("PodDisruptionBudget", *self.name))


@dataclass(frozen=True)
class HeldUpgrade:
    """A node whose driver is to be upgraded, and a pod there that a budget never lets go."""

    node: NodeGpus
    pod: str
    budget: str

    @property
    def place(self) -> Place:
        return self.node.place

    @property
    def state(self) -> str:
        return self.node.labels.get(STATE, "")


def budget(key: tuple[str, str], data: Mapping[str, Any]) -> Budget:
    """Where as many have to stay as there are, waiting changes nothing."""
    allowed, least, there = (
        number_at(data, "status", each) for each in ("disruptionsAllowed", "desiredHealthy", "expectedPods")
    )
    is_spent = allowed == 0 and least is not None and there is not None and least >= there > 0
    return Budget(key, mapping_at(data, "spec", "selector"), is_spent)


def held_upgrades(
    nodes: Collection[NodeGpus], pods: Collection[ClusterPod], budgets: Collection[Budget]
) -> Iterator[HeldUpgrade]:
    empties = {node.name: node for node in nodes if node.labels.get(STATE) in _EMPTIES}
    spent = [each for each in budgets if each.is_spent]
    if not empties or not spent:
        return
    for pod in pods:
        node = empties.get(pod.node)
        if node is None or pod.daemonset or pod.is_over or not _is_to_go(pod, node):
            continue
        kept = next((each for each in spent if _keeps(each, pod)), None)
        if kept is not None:
            yield HeldUpgrade(empties.pop(pod.node), pod.object, kept.object)


def _is_to_go(pod: ClusterPod, node: NodeGpus) -> bool:
    return pod.wants_gpus or node.labels.get(STATE) != _ONLY_GPUS


def _keeps(found: Budget, pod: ClusterPod) -> bool:
    return found.name[0] == pod.namespace and selects(found.selector, pod.labels)
