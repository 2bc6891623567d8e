"""A cluster without a device plugin: who should bring one, and what else waits for that."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.facts.cluster.pod import ClusterPod

# Karpenter's labels on a node of its own: before 0.33 and since; and once all that it was made for is there.
# Source: karpenter, pkg/apis/v1/labels.go and pkg/controllers/nodeclaim/lifecycle/initialization.go.
_ITS_OWN = ("karpenter.sh/nodepool", "karpenter.sh/provisioner-name")
_INITIALIZED = "karpenter.sh/initialized"


def no_plugin(operator: ClusterPod | None) -> str:
    there = "" if operator is None else f", beside an operator ({operator.name}) that should bring one{_how(operator)}"
    return f"no device plugin in the cluster{there}"


def _how(operator: ClusterPod) -> str:
    """How one fares that does not run itself: it makes none of its parts before it does."""
    if operator.ready:
        return ""
    if operator.unplaced:
        return " and is on no node itself"
    return f" and does not run itself ({operator.fault or 'not ready'})"


def how_to_bring_one(operator: ClusterPod | None) -> str:
    if operator is None:
        return "install the GPU operator (devicePlugin.enabled: true), or NVIDIA's device plugin alone"
    if not operator.ready:
        return f"let the operator run first: kubectl describe pod -n {operator.namespace} {operator.name}"
    return (
        "see why the operator made none: kubectl get clusterpolicies -o yaml (is there one, does it say "
        "devicePlugin.enabled: true, and what do its conditions say?), then kubectl logs -n "
        f"{operator.namespace} {operator.name} --tail=50"
    )


def what_karpenter_makes(labels: Mapping[str, str]) -> str:
    """What Karpenter makes of a node whose GPUs are not offered; empty where it is not its own, or it has them."""
    if _INITIALIZED in labels or not any(each in labels for each in _ITS_OWN):
        return ""
    return (
        f"; Karpenter does not take the node for initialized before that (no label {_INITIALIZED}), and neither "
        "consolidates it nor removes it when it is empty"
    )
