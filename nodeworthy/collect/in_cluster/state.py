"""How far a Job is: over and why, or what it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.collect.in_cluster.cluster import container_state, exit_code
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.known.verification import opt_out_label
from nodeworthy.records import dataclass

# What waiting does not help against, and what it does not once a fresh node had its time to come up.
_NEVER_STARTS = ("InvalidImageName", "ErrImageNeverPull")
_HOPELESS = ("ImagePullBackOff", "CreateContainerConfigError")
_NEVER = "violates PodSecurity"
_LONGEST = 400


@dataclass(frozen=True)
class Over:
    """A Job of which nothing more will come."""

    why: str
    # Whose log says more.
    pod: Mapping[str, Any] | None = None


def over(job: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> Over | None:
    done = next((each for each in pods if text_at(each, "status", "phase") == "Succeeded"), None)
    if done is not None:
        return Over("", done)
    ended = next((each for each in mappings_at(job, "status", "conditions") if ends_a_job(each)), None)
    return _failed(ended, pods) if ended is not None else None


def hopeless(pods: Sequence[Mapping[str, Any]], *, is_up: bool) -> Over | None:
    reasons = (*_NEVER_STARTS, *(_HOPELESS if is_up else ()))
    found = next((each for each in pods if _waits_for(each)[0] in reasons), None)
    return Over(f"its pod does not start: {_reason_of_pod(found)}") if found is not None else None


def ends_a_job(condition: Mapping[str, Any]) -> bool:
    return condition.get("type") in ("Failed", "Complete") and condition.get("status") == "True"


def _failed(condition: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> Over:
    ran = [each for each in pods if exit_code(each) is not None]
    said = [told for each in pods if (told := _reason_of_pod(each))]
    why = f"its Job is over ({text_at(condition, 'reason') or 'Complete'}: {text_at(condition, 'message')})"
    return Over(_short("; ".join([why, *said[-1:]])), ran[-1] if ran else None)


def waiting(pods: Sequence[Mapping[str, Any]], warnings: Sequence[str]) -> str:
    """Why its pod waits, in the words of what lets it wait."""
    if not pods:
        return _short(warnings[-1]) if warnings else "its Job has no pod yet"
    return _reason_of_pod(pods[-1]) or "its pod has not begun"


def namespace_refusal(warnings: Sequence[str]) -> Over | None:
    """A namespace that allows no such pods will not allow the next one either."""
    said = next((each for each in warnings if _NEVER in each), None)
    return Over(f"its pod is refused: {_short(said)}") if said is not None else None


def _reason_of_pod(pod: Mapping[str, Any]) -> str:
    status = mapping_at(pod, "status")
    reason, message = text_at(status, "reason"), text_at(status, "message")
    if reason:
        return _short(f"{reason}: {message}" if message else reason)
    waits, why = _waits_for(pod)
    if waits and waits != "ContainerCreating":
        return _short(f"{waits}: {why}" if why else waits)
    ended = mapping_at(container_state(pod), "state", "terminated")
    if ended:
        told = ": ".join(filter(None, (text_at(ended, "reason"), text_at(ended, "message"))))
        return _short(f"it ended with {ended.get('exitCode')} ({told or 'no reason given'})")
    return _unscheduled(pod) or ("it runs" if text_at(status, "phase") == "Running" else waits)


def _waits_for(pod: Mapping[str, Any]) -> tuple[str, str]:
    waits = mapping_at(container_state(pod), "state", "waiting")
    return text_at(waits, "reason"), text_at(waits, "message")


def _unscheduled(pod: Mapping[str, Any]) -> str:
    for each in mappings_at(pod, "status", "conditions"):
        if each.get("type") == "PodScheduled" and each.get("status") == "False":
            return _short(f"{text_at(each, 'reason')}: {text_at(each, 'message')}")
    return ""


def why_node_is_gone(node: Mapping[str, Any] | None) -> str | None:
    """Why nothing will come of this node any more."""
    if node is None:
        return "the node is gone from the cluster"
    label = opt_out_label(mapping_at(node, "metadata", "labels"))
    if label is not None:
        return f"the node has opted out meanwhile, by its label {label}"
    for each in mappings_at(node, "status", "conditions"):
        if each.get("type") == "Ready" and each.get("status") == "Unknown":
            return (
                f"its kubelet does not answer since {text_at(each, 'lastTransitionTime')}: {text_at(each, 'message')}"
            )
    return None


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
