"""Pods that a kubelet rejected after the scheduler had placed them: the devices it counted were not there."""

from __future__ import annotations

from typing import Any

from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.pod.containers import effective_requests, is_gpu_resource
from nodeworthy.records import dataclass

# As known/evidence has them (devices-unavailable, unexpected-admission), which is read only where a log is searched.
_SAID = "requested number of devices unavailable for "
_REASON = "UnexpectedAdmissionError"
# Where nobody asked a scheduler, kubelet itself counts GPUs; and where its policy wants them close to CPUs.
_OUT_OF, _TOPOLOGY = "OutOf", "TopologyAffinityError"


@dataclass(frozen=True, slots=True)
class RejectedPod:
    object: str
    node: str


def rejected_pod(data: Any) -> RejectedPod | None:
    """From a Pod, or from an Event about one."""
    if text_at(data, "kind") == "Event" or "reason" in data:
        return _of_event(data)
    reason = text_at(data, "status", "reason")
    if not _is_refusal(reason) and not (reason == _TOPOLOGY and effective_requests(mapping_at(data, "spec"))):
        return None
    name = f"Pod/{text_at(data, 'metadata', 'namespace')}/{text_at(data, 'metadata', 'name')}"
    return RejectedPod(name, text_at(data, "spec", "nodeName"))


def _is_refusal(reason: str) -> bool:
    return reason == _REASON or (reason.startswith(_OUT_OF) and is_gpu_resource(reason.removeprefix(_OUT_OF)))


def _of_event(event: Any) -> RejectedPod | None:
    message = text_at(event, "message") or text_at(event, "note")
    if not _is_refusal(text_at(event, "reason")) and _SAID not in message:
        return None
    about = mapping_at(event, "involvedObject") or mapping_at(event, "regarding")
    if text_at(about, "kind") not in ("Pod", ""):
        return None
    source = mapping_at(event, "source") or mapping_at(event, "deprecatedSource")
    node = text_at(source, "host") or text_at(event, "reportingInstance")
    return RejectedPod(f"Pod/{text_at(about, 'namespace')}/{text_at(about, 'name')}", node)
