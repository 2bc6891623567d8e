"""The pods of a cluster that have to do with GPUs, from plain data: of a hundred thousand, few are looked at closer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.facts.pod.template import LivePods, PodTemplate
from nodeworthy.known.containerd import defaults
from nodeworthy.known.hami import asked_of_hami
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_OVER = ("Succeeded", "Failed")
# A container that could not even be started; its pod may have been told not to try again.
_NEVER_RAN = ("StartError", "ContainerCannotRun")
_MARKS = ("gpu.monitoring/", "nodeworthy/", *asked_of_hami())
# What the rules read of a pod's spec.
_READ = (
    "activeDeadlineSeconds affinity containers initContainers nodeSelector priority priorityClassName restartPolicy "
    "runtimeClassName schedulerName tolerations".split()
)


@dataclass(slots=True, unsafe_hash=True)
class LivePod(NamedPod):
    node: str
    phase: str
    started: str
    # Who made it, as kind and name.
    owner: tuple[str, str]


def live_pod(data: Any) -> LivePod:
    owners = mappings_at(data, "metadata", "ownerReferences")
    maker = next((each for each in owners if at(each, "controller") is True), next(iter(owners), None))
    return LivePod(
        text_at(data, "metadata", "namespace"),
        text_at(data, "metadata", "name"),
        text_at(data, "spec", "nodeName"),
        text_at(data, "status", "phase"),
        text_at(data, "status", "startTime"),
        (text_at(maker, "kind"), text_at(maker, "name")),
    )


def concerns_gpus(data: Any) -> bool:
    """Whether it asks for GPUs, for their runtime or their capabilities, and is not over."""
    spec = mapping_at(data, "spec")
    base = defaults().runtime_class
    asks = any(map(_asks, mappings_at(spec, "containers"))) or any(map(_asks, mappings_at(spec, "initContainers")))
    if not asks and not text_at(spec, "runtimeClassName").startswith(base):
        return False
    return text_at(data, "status", "phase") not in _OVER or _never_ran(data)


def _asks(container: Mapping[str, Any]) -> bool:
    resources = container.get("resources")
    if resources and any(map(is_gpu_resource, (*mapping_at(resources, "limits"), *mapping_at(resources, "requests")))):
        return True
    # Not by the names of `plain`: a pod may have a hundred variables, and a cluster a hundred thousand pods.
    env = container.get("env")
    if not isinstance(env, list):
        return False
    for each in env:
        name = each.get("name") if isinstance(each, dict) else None
        if isinstance(name, str) and name.startswith("NVIDIA_"):
            return True
    return False


def _never_ran(data: Any) -> bool:
    statuses = mappings_at(data, "status", "containerStatuses")
    return any(text_at(each, "state", "terminated", "reason") in _NEVER_RAN for each in statuses)


def reduce_pod(data: Any) -> Mapping[str, Any]:
    """What is kept of a pod, for all that are made like it."""
    spec = mapping_at(data, "spec")
    told = {**mapping_at(data, "metadata", "labels"), **mapping_at(data, "metadata", "annotations")}
    marks = {name: value for name, value in told.items() if name.startswith(_MARKS)}
    metadata = {name: text_at(data, "metadata", name) for name in ("name", "namespace")}
    kept = {name: spec[name] for name in _READ if name in spec}
    return {"kind": "Pod", "metadata": {**metadata, "annotations": marks}, "spec": kept}


def likeness(pod: LivePod, kept: Mapping[str, Any]) -> str:
    """Equal for pods that one maker made of one template."""
    told = (pod.namespace, pod.owner if pod.owner[1] else pod.name, kept["spec"], kept["metadata"]["annotations"])
    return json.dumps(told, sort_keys=True, default=str)


def live_template(kept: Mapping[str, Any], pods: Sequence[LivePod]) -> PodTemplate:
    """The pods of one template as one subject, at the first of them."""
    tree = plant(kept, Place(object=pods[0].object))
    unscheduled = tuple(each.object for each in pods if not each.node)
    return PodTemplate(tree, tree, (tree,), live=LivePods(tuple(each.object for each in pods), unscheduled))
