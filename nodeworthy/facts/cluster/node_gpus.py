"""The GPUs of a node, as the cluster counts them, and what keeps pods from the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.labelled_node import LabelledNode
from nodeworthy.facts.cluster.node_labels import (
    GOOGLES,
    PRODUCT,
    SHARED,
    change_under_way,
    gpu_of,
    gpus_if_all_counted,
    says_it_has_gpus,
)
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.watched_by_words import condition_by_words
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.effective_requests import gpu_amounts
from nodeworthy.known.cloud_gpus import GKE_ACCELERATOR
from nodeworthy.known.gpu_conditions import GpuCondition, fault_of_a_program, gpu_conditions, tells_of_no_gpu
from nodeworthy.known.hami import annotation_names
from nodeworthy.known.operator_parts import NO_PLUGIN_OF_GKE
from nodeworthy.known.platforms import platform_of
from nodeworthy.known.xid import Xid
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

LOCK = "hami.io/mutex.lock"
_CUT, _DIVIDED = "nvidia.com/mig.config.state", "nvidia.com/vgpu.config.state"
# Of a device plugin that makes several of one GPU: by MPS it divides the memory as well.
_REPLICAS, _STRATEGY, _IN_TURN = "nvidia.com/gpu.replicas", "nvidia.com/gpu.sharing-strategy", "time-slicing"
# Of a message of a condition.
_LONGEST = 300
# Of kubelet's conditions those that are bad where they are true.
_PRESSED = ("DiskPressure", "MemoryPressure", "PIDPressure")
# How one begins of which nobody says why; and kubelet's word for a node whose CNI is not there.
_CONDITION = "condition"
_NOT_READY, _NO_NETWORK = f"{_CONDITION} Ready", "NetworkPluginNotReady"
_KEEPS_AWAY = ("NoSchedule", "NoExecute")


@dataclass(frozen=True, slots=True)
class Taint:
    key: str
    value: str
    effect: str

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class GpuWatch:
    """A condition by which somebody who watches the node's GPUs says how they are."""

    condition: GpuCondition
    status: str
    reason: str
    message: str

    @property
    def is_bad(self) -> bool:
        return self.condition.is_bad(self.status, self.reason)

    @property
    def is_good(self) -> bool:
        return self.condition.is_good(self.status)

    @property
    def is_about_no_gpu(self) -> bool:
        return self.is_bad and tells_of_no_gpu(self.message)

    @property
    def of_a_program(self) -> Xid | None:
        """The Xid for which it is bad, though what ran on the GPU is to blame for that."""
        return fault_of_a_program(self.message) if self.is_bad else None

    @property
    def says(self) -> str:
        return ": ".join(filter(None, (f"{self.condition.type}={self.status}", self.reason, self.message)))


@dataclass(frozen=True, slots=True)
class NodeGpus(LabelledNode):
    called: ClassVar[str] = "a node with GPUs"

    capacity: Mapping[str, int]
    allocatable: Mapping[str, int]
    # Those that keep pods away which do not tolerate them; a cordon is one of them.
    taints: tuple[Taint, ...]
    # When it became ready; None where that is not told, or where it is not ready.
    ready_since: datetime | None
    is_ready: bool
    # What HAMi's lock on it says: when it was taken, by which pod.
    lock: str
    # HAMi makes more of its GPUs than there are.
    shared: bool
    # What those say who watch its GPUs.
    watched: tuple[GpuWatch, ...] = ()
    # What is said of why it is not fit for pods, and since when.
    ails: str = ""
    ails_since: datetime | None = None
    # What starts its containers, as kubelet says it: `cri-o://1.31.8`.
    runtime: str = ""
    # Its system, as kubelet says it: `Rocky Linux 9.6 (Blue Onyx)`.
    system: str = ""
    # Its kubelet tells IPv6 addresses alone.
    is_of_ipv6: bool = False
    # Of which platform it is, where that has a way of its own to the driver (known/platforms.toml).
    platform: str = ""

    @property
    def gpu(self) -> str:
        """The canonical name of its GPU, else what it calls it, else nothing."""
        return gpu_of(self.labels) or self.labels.get(PRODUCT, "")

    @property
    def gpus_if_all_counted(self) -> int:
        return gpus_if_all_counted(self.labels, self.capacity.get(GPU, 0))

    @property
    def has_gpus(self) -> bool:
        # Kubelet keeps the name of what a device plugin once registered there, and counts none when it is gone.
        return bool(self.capacity) or says_it_has_gpus(self.labels)

    @property
    def starts_containers(self) -> str:
        """What starts its containers, as kubelet says it; GKE's beside the driver that Google installs are another."""
        is_googles = GKE_ACCELERATOR in self.labels and self.labels.get(NO_PLUGIN_OF_GKE) != "true"
        return GOOGLES if is_googles else self.runtime

    @property
    def shared_by(self) -> int:
        """By how many pods each of its GPUs is shared in turn; 1 where they are whole, or divided."""
        if self.labels.get(_STRATEGY, _IN_TURN) != _IN_TURN or not self.labels.get(_REPLICAS, "").isdecimal():
            return 1
        return max(int(self.labels[_REPLICAS][:6]), 1)

    @property
    def change(self) -> str | None:
        """Why its GPUs may be away for a while."""
        return change_under_way(self.labels)

    @property
    def is_not_cut(self) -> bool:
        """Whether the MIG manager gave up on what its label asks for."""
        return self.labels.get(_CUT) == "failed"

    @property
    def has_no_vgpus(self) -> bool:
        """Whether the vGPU device manager gave up on what its label asks for."""
        return self.labels.get(_DIVIDED) == "failed"

    @property
    def ails_without_network(self) -> bool:
        """Whether it is not ready for want of its CNI, as far as anybody says."""
        return _NO_NETWORK in self.ails or self.ails.startswith(_NOT_READY)

    def unhealthy(self, resource: str) -> int:
        return max(self.capacity.get(resource, 0) - self.allocatable.get(resource, 0), 0)


def node_gpus(data: Any) -> NodeGpus:
    """Reads the GPUs of an object of kind Node."""
    labels, capacity = strings_at(data, "metadata", "labels"), mapping_at(data, "status", "capacity")
    allocatable = mapping_at(data, "status", "allocatable")
    ready = next((each for each in mappings_at(data, "status", "conditions") if text_at(each, "type") == "Ready"), None)
    annotations = strings_at(data, "metadata", "annotations")
    return NodeGpus(
        text_at(data, "metadata", "name"),
        labels,
        gpu_amounts(capacity),
        gpu_amounts(allocatable) if allocatable else gpu_amounts(capacity),
        tuple(_taints(data)),
        moment(text_at(ready, "lastTransitionTime")) if text_at(ready, "status") == "True" else None,
        ready is None or text_at(ready, "status") == "True",
        annotations.get(LOCK, ""),
        annotation_names().registered in annotations or labels.get(PRODUCT, "").endswith(SHARED),
        tuple(_watched(data)),
        *_ails(data),
        runtime=text_at(data, "status", "nodeInfo", "containerRuntimeVersion"),
        system=text_at(data, "status", "nodeInfo", "osImage"),
        is_of_ipv6=_is_of_ipv6(data),
        platform=platform_of(
            labels,
            text_at(data, "spec", "providerID"),
            text_at(data, "status", "nodeInfo", "kubeletVersion"),
            text_at(data, "status", "nodeInfo", "osImage"),
            text_at(data, "status", "nodeInfo", "kernelVersion"),
        ),
    )


def _is_of_ipv6(data: Any) -> bool:
    of_node = [each for each in mappings_at(data, "status", "addresses") if text_at(each, "type") == "InternalIP"]
    return bool(of_node) and all(":" in text_at(each, "address") for each in of_node)


def _ails(data: Any) -> tuple[str, datetime | None]:
    """What is wrong with a node. Of several things it is the one that explains the others: a full disk makes a node
    unready."""
    conditions = {text_at(each, "type"): each for each in mappings_at(data, "status", "conditions")}
    found = [conditions[name] for name in _PRESSED if text_at(conditions.get(name), "status") == "True"]
    ready = conditions.get("Ready")
    if not found and ready is not None and text_at(ready, "status") != "True":
        found = [ready]
    if not found:
        return "", None
    first = found[0]
    words = " ".join(text_at(first, "message").split()) or _without_words(first)
    return words[:_LONGEST], moment(text_at(first, "lastTransitionTime"))


def _without_words(condition: Any) -> str:
    said = f"{_CONDITION} {text_at(condition, 'type')} is {text_at(condition, 'status')}"
    return ", ".join(filter(None, (said, text_at(condition, "reason"))))


def _watched(data: Any) -> Iterator[GpuWatch]:
    known = gpu_conditions()
    for each in mappings_at(data, "status", "conditions"):
        message = " ".join(text_at(each, "message").split())[:_LONGEST]
        kind, status = text_at(each, "type"), text_at(each, "status")
        condition = known.get(kind) or (condition_by_words(kind, status, message) if message else None)
        if condition is not None:
            yield GpuWatch(condition, status, text_at(each, "reason"), message)


def _taints(data: Any) -> list[Taint]:
    written = mappings_at(data, "spec", "taints")
    taints = [Taint(*(text_at(each, name) for name in ("key", "value", "effect"))) for each in written]
    cordon = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
    if at(data, "spec", "unschedulable") is True and cordon not in taints:
        taints.append(cordon)
    return [each for each in taints if each.effect in _KEEPS_AWAY]


# What those say of a node's GPUs who watch them in a cluster: conditions of the node.


def in_number(nodes: Sequence[NodeGpus]) -> str:
    return f"node '{nodes[0].name}'" if len(nodes) == 1 else f"{len(nodes)} nodes"


@dataclass(frozen=True)
class WatchedGpus:
    called: ClassVar[str] = "a node whose GPUs somebody watches"

    node: NodeGpus
    said: tuple[GpuWatch, ...]
    # Pods that would run there if its devices were well.
    waiting: tuple[str, ...] = ()

    @property
    def place(self) -> Place:
        return self.node.place


def watched_gpus(nodes: Iterable[NodeGpus], waiting: Mapping[str, tuple[str, ...]]) -> Iterator[WatchedGpus]:
    return (WatchedGpus(each, each.watched, waiting.get(each.name, ())) for each in nodes if _is_watched(each))


def _is_watched(node: NodeGpus) -> bool:
    return bool(node.watched) and node.has_gpus
