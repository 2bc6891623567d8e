"""The guests of a node, and what goes with the node: pods, their budgets, what people wrote on it by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.facts.pod.containers import holds_a_gpu
from nodeworthy.rollout.world import Budget, Pod

Object = Mapping[str, Any]
# By which their owners say that nobody may evict them.
_KEEPERS: Final = {
    "karpenter.sh/do-not-disrupt": "true",
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
}
_OVER = ("Succeeded", "Failed")


def budgets_of(pod: Object, budgets: Sequence[Object]) -> Iterator[Budget]:
    namespace, labels = text_at(pod, "metadata", "namespace"), strings_at(pod, "metadata", "labels")
    for each in budgets:
        if text_at(each, "metadata", "namespace") != namespace:
            continue
        if selects(mapping_at(each, "spec", "selector"), labels):
            yield _budget(each, namespace)


def _budget(data: Object, namespace: str) -> Budget:
    def number(name: str) -> int:
        return number_at(data, "status", name) or 0

    name = text_at(data, "metadata", "name")
    return Budget(namespace, name, number("disruptionsAllowed"), number("currentHealthy"), number("desiredHealthy"))


def guest(data: Object, budgets: Sequence[Object], now: datetime) -> Pod:
    owner = next((each for each in mappings_at(data, "metadata", "ownerReferences") if each.get("controller")), {})
    kind = text_at(owner, "kind")
    is_static = "kubernetes.io/config.mirror" in strings_at(data, "metadata", "annotations")
    is_over = text_at(data, "status", "phase") in _OVER
    return Pod(
        text_at(data, "metadata", "namespace"),
        text_at(data, "metadata", "name"),
        text_at(data, "metadata", "uid"),
        kind,
        _gpus(data),
        kind == "DaemonSet" or is_static or is_over,
        _leaving(data, now),
        _seconds_left(data, now),
        text_at(data, "status", "startTime") or text_at(data, "metadata", "creationTimestamp"),
        _why_it_stays(data, kind),
        tuple(budgets_of(data, budgets)),
    )


def _leaving(pod: Object, now: datetime) -> str:
    """What keeps one that was told to end; empty where nobody told it."""
    until = moment(text_at(pod, "metadata", "deletionTimestamp"))
    if until is None:
        return ""
    if until > now:
        return f"and has until {until:%H:%M:%SZ} for it (its terminationGracePeriodSeconds)"
    finalizers = [each for each in at(pod, "metadata", "finalizers") or () if isinstance(each, str)]
    kept = f"kept by its finalizer {' and '.join(finalizers)}" if finalizers else "and its kubelet has not let it go"
    return f"{kept}, since {until:%H:%M:%SZ}"


def _gpus(pod: Object) -> int:
    amounts = (
        number_at(mapping_at(each, "resources", "limits"), name) or 0
        for each in mappings_at(pod, "spec", "containers")
        for name in mapping_at(each, "resources", "limits")
        if holds_a_gpu(name)
    )
    return sum(amounts)


def _seconds_left(pod: Object, now: datetime) -> int | None:
    limit, began = number_at(pod, "spec", "activeDeadlineSeconds"), moment(text_at(pod, "status", "startTime"))
    if limit is None or began is None:
        return None
    return round(limit - (now - began).total_seconds())


def _why_it_stays(pod: Object, owner: str) -> str:
    if not owner:
        return "has no controller: nobody makes it anew"
    annotations = strings_at(pod, "metadata", "annotations")
    said = next((f"{name}={value}" for name, value in _KEEPERS.items() if annotations.get(name) == value), None)
    if said is not None:
        return f"has the annotation {said}"
    for each in mappings_at(pod, "spec", "volumes"):
        local = at(each, "emptyDir")
        if isinstance(local, dict) and text_at(local, "medium") != "Memory":
            return f"keeps data on this node alone: emptyDir {text_at(each, 'name')}"
    return ""


def local_volumes(volumes: Sequence[Object], node: str) -> tuple[str, ...]:
    """The PersistentVolumes that live on this node and on no other, and are somebody's."""
    return tuple(
        f"{text_at(each, 'metadata', 'name')} of {text_at(each, 'spec', 'claimRef', 'namespace')}/"
        f"{text_at(each, 'spec', 'claimRef', 'name')}"
        for each in volumes
        if at(each, "spec", "claimRef") and node in _hosts(each)
    )


def _hosts(volume: Object) -> Iterator[str]:
    terms = mappings_at(volume, "spec", "nodeAffinity", "required", "nodeSelectorTerms")
    for each in (one for term in terms for one in mappings_at(term, "matchExpressions")):
        if text_at(each, "key") == "kubernetes.io/hostname" and text_at(each, "operator") == "In":
            yield from (one for one in each.get("values") or () if isinstance(one, str))


# What people wrote on a node

# Field managers that write labels again by themselves on any node that comes.
_PROGRAMS: Final = (
    "aws-",
    "cloud-controller-manager",
    "cluster-autoscaler",
    "gpu-feature-discovery",
    "gpu-operator",
    "k8s-driver-manager",
    "karpenter",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "mig-manager",
    "nfd-",
    "node-feature-discovery",
    "nodeworthy",
    "nvidia-",
)


def set_by_hand(node: Object) -> Mapping[str, Mapping[str, str]]:
    """Labels, annotations and taints that no program of the cluster will write on another node."""
    fields = [
        mapping_at(each, "fieldsV1")
        for each in mappings_at(node, "metadata", "managedFields")
        if not text_at(each, "manager").startswith(_PROGRAMS)
    ]
    found = {kind: _own(fields, kind, strings_at(node, "metadata", kind)) for kind in ("labels", "annotations")} | {
        "taints": _taints(fields, node)
    }
    return {kind: values for kind, values in found.items() if values}


def _own(fields: Sequence[Object], kind: str, values: Mapping[str, str]) -> Mapping[str, str]:
    named = {name.removeprefix("f:") for each in fields for name in mapping_at(each, "f:metadata", f"f:{kind}")}
    return {name: value for name, value in values.items() if name in named and not name.startswith("nodeworthy/")}


def _taints(fields: Sequence[Object], node: Object) -> Mapping[str, str]:
    """Kubernetes tracks them as one: whoever wrote last wrote all of them."""
    if not any("f:taints" in mapping_at(each, "f:spec") for each in fields):
        return {}
    return {
        f"{text_at(each, 'key')}:{text_at(each, 'effect')}": text_at(each, "value")
        for each in mappings_at(node, "spec", "taints")
        if not text_at(each, "key").startswith(("nodeworthy/", "node.kubernetes.io/"))
    }
