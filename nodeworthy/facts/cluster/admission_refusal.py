"""A pod that a kubelet refused although it was to run there: what the kubelet said, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.sandbox_failure import moment, subject_of, words_of
from nodeworthy.facts.cluster.scheduling_events import time_of
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.facts.pod.effective_requests import effective_requests
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# Pods that a kubelet rejected after the scheduler had placed them: the devices it counted were not there.

# As known/evidence has them (devices-unavailable, unexpected-admission), which is read only where a log is searched.
_SAID = "requested number of devices unavailable for "
_REASON = "UnexpectedAdmissionError"
# Where nobody asked a scheduler, kubelet itself counts GPUs; and where its policy wants them close to CPUs.
_REJECTED, _TOPOLOGY = "OutOf", "TopologyAffinityError"


@dataclass(frozen=True, slots=True)
class RejectedPod:
    object: str
    node: str


def rejected_pod(data: Any) -> RejectedPod | None:
    """Reads a rejection from a Pod, or from an Event about one."""
    if text_at(data, "kind") == "Event" or "reason" in data:
        return _of_event(data)
    reason = text_at(data, "status", "reason")
    if not _is_refusal(reason) and not (_is_of_any_pod(reason) and effective_requests(mapping_at(data, "spec"))):
        return None
    name = f"Pod/{text_at(data, 'metadata', 'namespace')}/{text_at(data, 'metadata', 'name')}"
    return RejectedPod(name, text_at(data, "spec", "nodeName"))


def _is_refusal(reason: str) -> bool:
    return reason == _REASON or (reason.startswith(_REJECTED) and is_gpu_resource(reason.removeprefix(_REJECTED)))


def _is_of_any_pod(reason: str) -> bool:
    """Whether pods without GPUs are refused for this as well, which is not judged: kubelet counts memory, CPUs and
    pods, too."""
    return reason == _TOPOLOGY or reason.startswith(_REJECTED)


def _of_event(event: Any) -> RejectedPod | None:
    message = words_of(event)
    if not _is_refusal(text_at(event, "reason")) and _SAID not in message:
        return None
    about = subject_of(event)
    if text_at(about, "kind") not in ("Pod", ""):
        return None
    source = mapping_at(event, "source") or mapping_at(event, "deprecatedSource")
    node = text_at(source, "host") or text_at(event, "reportingInstance")
    return RejectedPod(f"Pod/{text_at(about, 'namespace')}/{text_at(about, 'name')}", node)


_COUNTED = pattern(r"unavailable for (?P<resource>\S+?)\. Requested: (?P<asked>\d+), Available: (?P<there>\d+)")
# Of a pod that no scheduler counted: kubelet counts for itself.
_OUT_OF = pattern(
    r"Node didn't have enough resource: (?P<resource>[^,\s]+), requested: (?P<asked>\d+), used: (?P<used>\d+), "
    r"capacity: (?P<capacity>\d+)"
)
_UNREGISTERED = pattern(r"(?:can't|cannot) allocate unregistered device (?P<resource>[^\s,]+)")
_UNHEALTHY = pattern(r"cannot allocate unhealthy devices (?P<resource>[^\s,]+)")
_NOT_BOUND = "no binding pod found on node"
_MOST = 400


@dataclass(frozen=True)
class AdmissionRefusal:
    object: str
    node: str
    message: str
    when: datetime | None
    # What only the pod itself tells.
    created: datetime | None = None
    owner: str = ""
    scheduler: str = ""
    amounts: Mapping[str, int] = field(default_factory=dict)
    # Kubelet's one word for it.
    reason: str = ""
    # An init container of it that asks for GPUs, too.
    init: str = ""

    @property
    def key(self) -> tuple[str, str]:
        _, namespace, name = self.object.split("/", 2)
        return namespace, name

    @property
    def words(self) -> str:
        """The kubelet's own, without what is the same in all of them."""
        return self.message.removeprefix("Pod was rejected: ").strip()[:_MOST]

    @cached_property
    def counted(self) -> tuple[int, int] | None:
        """How many were asked for and how many were there."""
        found = _COUNTED.search(self.message)
        if found is not None:
            return int(found["asked"]), int(found["there"])
        out_of = _OUT_OF.search(self.message)
        if out_of is None:
            return None
        return int(out_of["asked"]), max(int(out_of["capacity"]) - int(out_of["used"]), 0)

    @property
    def was_counted_by_kubelet(self) -> bool:
        return _OUT_OF.search(self.message) is not None

    @property
    def was_counted_as_none(self) -> bool:
        """Kubelet knew of none: nobody can have held what was not there."""
        out_of = _OUT_OF.search(self.message)
        return out_of is not None and out_of["capacity"] == "0"

    @cached_property
    def resource(self) -> str:
        patterns = (_COUNTED, _OUT_OF, _UNREGISTERED, _UNHEALTHY)
        found = next((match for each in patterns if (match := each.search(self.message))), None)
        return found["resource"] if found else next(iter(self.amounts), "")

    @property
    def was_not_registered(self) -> bool:
        return _UNREGISTERED.search(self.message) is not None

    @property
    def had_unhealthy_devices(self) -> bool:
        return _UNHEALTHY.search(self.message) is not None

    @property
    def was_not_bound(self) -> bool:
        """HAMi's device plugin knows of no pod that its scheduler had sent."""
        return _NOT_BOUND in self.message


def admission_refusal(data: Any) -> AdmissionRefusal | None:
    """Reads a refusal from a Pod, or from an Event about one."""
    rejected = rejected_pod(data)
    if rejected is None:
        return None
    if not mapping_at(data, "spec"):
        message = words_of(data)
        when, reason = moment(time_of(data)), text_at(data, "reason")
        return AdmissionRefusal(rejected.object, rejected.node, message, when, reason=reason)
    owner = next(iter(mappings_at(data, "metadata", "ownerReferences")), None)
    return AdmissionRefusal(
        rejected.object,
        rejected.node,
        text_at(data, "status", "message"),
        moment(text_at(data, "status", "startTime")),
        moment(text_at(data, "metadata", "creationTimestamp")),
        text_at(owner, "name"),
        text_at(data, "spec", "schedulerName") or "default-scheduler",
        effective_requests(mapping_at(data, "spec")),
        text_at(data, "status", "reason"),
        _init_with_gpus(data),
    )


def _init_with_gpus(pod: Any) -> str:
    for each in mappings_at(pod, "spec", "initContainers"):
        if any(map(is_gpu_resource, mapping_at(each, "resources", "limits"))):
            return text_at(each, "name")
    return ""


def merge_refusals(one: AdmissionRefusal | None, other: AdmissionRefusal) -> AdmissionRefusal:
    """What the pod tells, and what an event does: each knows what the other may lack."""
    if one is None:
        return other
    pod, event = (one, other) if one.created or one.amounts else (other, one)
    return AdmissionRefusal(
        pod.object,
        pod.node or event.node,
        pod.message or event.message,
        event.when or pod.when,
        pod.created,
        pod.owner,
        pod.scheduler,
        pod.amounts,
        pod.reason or event.reason,
        pod.init,
    )
