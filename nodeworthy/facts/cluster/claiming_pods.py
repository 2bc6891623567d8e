"""Pods that claim devices by Dynamic Resource Allocation, and were placed on no node.

They ask for no resource by its name, so that nobody can count what they wait for: the scheduler's words are all that
there is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.claimed_devices import ClaimFault
from nodeworthy.facts.cluster.elapsed import has_just_begun
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import SchedulingEvents
from nodeworthy.known.dra import is_nvidias
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What KAI and Run:ai read of a pod that wants a part of a GPU.
_PARTS = ("gpu-fraction", "gpu-memory")
# How long a scheduler may take to say its first word.
_LOOKS = timedelta(minutes=5)
_CLASS = pattern(r"(?i)device ?class(?:es\.resource\.k8s\.io|\.resource\.k8s\.io)? \"?(?P<name>[a-z0-9][\w.-]{0,252})")


@dataclass(slots=True, unsafe_hash=True)
class ClaimingPod(NamedPod):
    created: datetime | None
    # What the scheduler says of it; empty where it says nothing.
    unplaced: str
    # The names of its claims.
    claims: tuple[str, ...] = ()
    # It asks for a part of a GPU by an annotation, and claims nothing.
    wants_a_part: bool = False
    # How the claims are called that are made for it of a template, where its status does not name them.
    beginnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimingPods:
    """The pods with claims of which the scheduler says the same."""

    pods: tuple[ClaimingPod, ...]
    words: str
    # Why the DRA driver, which is there, comes to no node with GPUs.
    absent: str = ""
    # What their claims ask for, and nobody has.
    fault: ClaimFault | None = None
    # Why whoever starts nodes starts none for them.
    no_node: str = ""

    @property
    def place(self) -> Place:
        return self.pods[0].place


def claims_devices(data: Any) -> bool:
    return bool(mappings_at(data, "spec", "resourceClaims")) or _asks_for_a_part(data)


def _asks_for_a_part(data: Any) -> bool:
    """Whether it asks for a part of a GPU as KAI and Run:ai allow it: by an annotation, and by no resource."""
    annotations = mapping_at(data, "metadata", "annotations")
    return bool(annotations) and any(text_at(annotations, name) for name in _PARTS)


def claiming_pod(data: Any) -> ClaimingPod | None:
    """None of one that claims nothing, is placed, over, or held back on purpose."""
    spec = mapping_at(data, "spec")
    if not claims_devices(data) or text_at(spec, "nodeName") or mappings_at(spec, "schedulingGates"):
        return None
    if text_at(data, "status", "phase") != "Pending" or text_at(data, "metadata", "deletionTimestamp"):
        return None
    placed = (each for each in mappings_at(data, "status", "conditions") if text_at(each, "type") == "PodScheduled")
    return ClaimingPod(
        text_at(data, "metadata", "namespace"),
        text_at(data, "metadata", "name"),
        moment(text_at(data, "metadata", "creationTimestamp")),
        next((text_at(each, "message") for each in placed if text_at(each, "status") == "False"), ""),
        tuple(dict.fromkeys(filter(None, _claims_of(data)))),
        _asks_for_a_part(data),
        tuple(_beginnings_of(data)),
    )


def _beginnings_of(data: Any) -> Iterator[str]:
    """The claim's controller names what it makes by the pod and the claim, and adds five letters.

    Source: kubernetes, pkg/controller/resourceclaim/controller.go (generateName)."""
    if mappings_at(data, "status", "resourceClaimStatuses"):
        return
    for each in mappings_at(data, "spec", "resourceClaims"):
        if not text_at(each, "resourceClaimName"):
            yield f"{text_at(data, 'metadata', 'name')}-{text_at(each, 'name')}"


def _claims_of(data: Any) -> Iterator[str]:
    """The claims that it names, and those that were made for it of a template."""
    for each in (*mappings_at(data, "spec", "resourceClaims"), *mappings_at(data, "status", "resourceClaimStatuses")):
        yield text_at(each, "resourceClaimName")


def claiming_pods(
    pods: Iterable[ClaimingPod],
    events: SchedulingEvents,
    now: datetime | None,
    absent: str,
    fault_of: Callable[[ClaimingPod], ClaimFault | None],
) -> Iterator[ClaimingPods]:
    found: dict[tuple[str, str], list[ClaimingPod]] = defaultdict(list)
    faults: dict[str, ClaimFault | None] = {"": None}
    for each in pods:
        words = _words(each, events)
        if not words and _is_new(each, now):
            continue
        fault = fault_of(each)
        if fault is not None or _may_be_gpus(words):
            faults[fault.says if fault is not None else ""] = fault
            found[words, fault.says if fault is not None else ""].append(each)
    for (words, says), some in found.items():
        ordered = tuple(sorted(some, key=lambda each: each.object))
        no_node = next(filter(None, (_newer(each, events.not_growing) for each in ordered)), "")
        yield ClaimingPods(ordered, words, absent, faults[says], no_node)


def _words(pod: ClaimingPod, events: SchedulingEvents) -> str:
    """What the scheduler says of this pod."""
    return _newer(pod, events.unplaced) or pod.unplaced


def _newer(pod: ClaimingPod, told: Mapping[tuple[str, str], tuple[str, str]]) -> str:
    """What is told of it. An event older than the pod is about an earlier one of its name."""
    when, said = told.get((pod.namespace, pod.name), ("", ""))
    since = moment(when)
    is_older = since is not None and pod.created is not None and since < pod.created
    return "" if is_older else said


def _is_new(pod: ClaimingPod, now: datetime | None) -> bool:
    return has_just_begun(pod.created, now, _LOOKS)


def _may_be_gpus(words: str) -> bool:
    """Devices of others are claimed, too: network cards, FPGAs. A class says whose it is."""
    classes = [each["name"] for each in _CLASS.finditer(words)]
    return not classes or any(map(is_nvidias, classes))
