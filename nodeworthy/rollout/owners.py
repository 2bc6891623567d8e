"""Nodes that no auto scaling group of ours starts: who replaces them, and by which command people ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from nodeworthy.documents.plain import strings_at, text_at

_KARPENTER: Final = "karpenter.sh/nodepool"
# Of Cluster API, on each node.
_OWNER: Final = "cluster.x-k8s.io/owner-name"
_NAMESPACE: Final = "cluster.x-k8s.io/cluster-namespace"
Node = Mapping[str, Any]


def owners_words(nodes: Iterable[Node], pool: str) -> Iterator[str]:
    """Where somebody else owns the nodes of this pool: who, and what to run."""
    every = list(nodes)
    of_karpenter = [each for each in every if strings_at(each, "metadata", "labels").get(_KARPENTER) == pool]
    if of_karpenter:
        yield (
            f"Karpenter owns the {len(of_karpenter)} nodes of NodePool {pool}, and replaces those that have drifted; "
            "one at a time, drained by it, by hand:"
        )
        yield from (f"  kubectl delete node {text_at(each, 'metadata', 'name')} --wait" for each in of_karpenter)
    owned = [each for each in every if _is_of_set(strings_at(each, "metadata", "annotations").get(_OWNER, ""), pool)]
    if owned:
        namespace = strings_at(owned[0], "metadata", "annotations").get(_NAMESPACE, "default")
        yield (
            f"Cluster API owns the {len(owned)} nodes of MachineDeployment {pool}, and replaces them itself: "
            f"clusterctl alpha rollout restart machinedeployment/{pool} --namespace {namespace}"
        )


def _is_of_set(owner: str, pool: str) -> bool:
    """A MachineSet is called like its MachineDeployment, with a hash behind it."""
    return owner == pool or owner.rpartition("-")[0] == pool
