"""A recording as a cluster to plan by: of each object, the values that a change may be about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nodeworthy.collect.cluster.kinds import CLUSTER_POLICIES, PODS
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.documents.tree import plain
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Target


@dataclass(frozen=True)
class RecordedWorld:
    seen: Seen

    def object(self, target: Target) -> Mapping[str, Any] | None:
        if target.kind == "Node":
            return self._node(target.name)
        if target.kind == "Namespace":
            labels = self.seen.hami.namespaces.get(target.name)
            return None if labels is None else {"metadata": {"name": target.name, "labels": labels}}
        policy = self.seen.documents[CLUSTER_POLICIES].get(("", target.name))
        return None if policy is None else plain(policy)

    def _node(self, name: str) -> Mapping[str, Any] | None:
        node, counted = self.seen.nodes.get(("", name)), self.seen.capacity.nodes.get(name)
        if node is None:
            return None
        taints = (
            [{"key": each.key, "value": each.value, "effect": each.effect} for each in counted.taints]
            if counted
            else []
        )
        metadata = {"name": name, "labels": dict(node.labels), "annotations": dict(node.annotations)}
        return {"metadata": metadata, "spec": {"taints": taints} if taints else {}}

    def phase_of_pod(self, namespace: str, name: str) -> str | None:
        if not self.seen.has(PODS):
            raise CouldNotLook("whether a pod is there is not known: no pods are in what was read")
        pod = self.seen.pods.get((namespace, name))
        return None if pod is None else pod.phase
