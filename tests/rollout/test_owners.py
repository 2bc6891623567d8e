"""Nodes that somebody else replaces."""

from __future__ import annotations

from typing import Any

from nodeworthy.rollout.owners import owners_words


def node(name: str, labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": labels or {}, "annotations": annotations or {}}}


def test_karpenters_nodes_are_left_to_it() -> None:
    nodes = [node("a", {"karpenter.sh/nodepool": "gpu"}), node("b", {"karpenter.sh/nodepool": "cpu"})]
    told = list(owners_words(nodes, "gpu"))
    assert told[0].startswith("Karpenter owns the 1 nodes of NodePool gpu")
    assert told[1:] == ["  kubectl delete node a --wait"]


def test_cluster_apis_nodes_are_left_to_it() -> None:
    said = {"cluster.x-k8s.io/owner-name": "gpu-7d9f8", "cluster.x-k8s.io/cluster-namespace": "capi"}
    [told] = owners_words([node("a", annotations=said)], "gpu")
    assert told.endswith("clusterctl alpha rollout restart machinedeployment/gpu --namespace capi")
    assert list(owners_words([node("a", annotations=said)], "gpu-7d")) == []


def test_others_are_nobodys() -> None:
    assert list(owners_words([node("a")], "gpu")) == []
