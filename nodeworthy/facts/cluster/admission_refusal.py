"""A pod that a kubelet refused although it was to run there: what the kubelet said, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import Any

from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.cluster.rejected_pod import rejected_pod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import time_of
from nodeworthy.facts.pod.containers import effective_requests
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

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
    """From a Pod, or from an Event about one."""
    rejected = rejected_pod(data)
    if rejected is None:
        return None
    if not mapping_at(data, "spec"):
        message = text_at(data, "message") or text_at(data, "note")
        when, reason = moment(time_of(data)), text_at(data, "reason")
        return AdmissionRefusal(rejected.object, rejected.node, message, when, reason=reason)
    owner = next(iter(data.get("metadata", {}).get("ownerReferences") or ()), None)
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
    )


def together(one: AdmissionRefusal | None, other: AdmissionRefusal) -> AdmissionRefusal:
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
    )
