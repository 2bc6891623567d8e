"""A pod that asks for GPUs, as the scheduler sees it: it holds them on a node, or it waits for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, text_at
from nodeworthy.facts.cluster.live_pod import live_pod
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.facts.cluster.pending_beside import Neighbours, neighbours_of
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.pod.containers import holds_a_gpu, is_gpu_resource
from nodeworthy.facts.pod.effective_requests import effective_requests
from nodeworthy.facts.pod.node_choice import NodeChoice, node_choice
from nodeworthy.records import dataclass

_OVER = ("Succeeded", "Failed")
# A pod that a kubelet made of a file of its own: the API server knows no more than its mirror.
_MIRROR = "kubernetes.io/config.mirror"
_GROUPS = ("scheduling.k8s.io/group-name", "scheduling.x-k8s.io/pod-group")


@dataclass(frozen=True, slots=True)
class Ended:
    """The container that had the GPUs, and when it ended while others of its pod go on."""

    container: str
    at: datetime | None


@dataclass(slots=True, unsafe_hash=True)
class AskingPod(NamedPod):
    node: str
    owner: tuple[str, str]
    amounts: Mapping[str, int]
    priority: int
    never_preempts: bool
    scheduler: str
    created: datetime | None
    started: datetime | None
    terminating: bool
    static: bool
    choice: NodeChoice
    gates: tuple[str, ...] = ()
    # What the scheduler says of it, where it was not placed; and that it was not, where it says no more.
    unplaced: str = ""
    was_looked_at: bool = False
    # The claims on volumes that it names.
    claims: tuple[str, ...] = ()
    ended: Ended | None = None
    # The group with which it is placed, or not at all.
    group: str = ""
    # Beside whom it has to be, or not, while it is on no node.
    neighbours: tuple[Neighbours, ...] = ()

    @property
    def made_by(self) -> str:
        """What made it and others like it, in a reader's words."""
        kind, name = self.owner
        if self.static:
            return f"static pod {self.namespace}/{self.name}"
        return f"{kind} {self.namespace}/{name}" if name else f"pod {self.namespace}/{self.name}"

    @property
    def since(self) -> datetime | None:
        return self.started or self.created

    def is_meant_by(self, told: str) -> bool:
        """Whether an event of this time is about it, and not about one that had its name before."""
        when = moment(told)
        return when is None or self.created is None or when >= self.created

    @property
    def gpus(self) -> int:
        """How many GPUs it asks for, of all kinds. Shares and slices count as one."""
        return sum(amount for name, amount in self.amounts.items() if holds_a_gpu(name))


def asks_for_gpus(data: Any) -> bool:
    """Whether it is worth a closer look: of a hundred thousand pods, few are."""
    spec = mapping_at(data, "spec")
    asks = any(map(_asks, mappings_at(spec, "containers"))) or any(map(_asks, mappings_at(spec, "initContainers")))
    return asks and text_at(data, "status", "phase") not in _OVER


def _asks(container: Mapping[str, Any]) -> bool:
    resources = container.get("resources")
    if not resources or not isinstance(resources, dict):
        return False
    return any(map(is_gpu_resource, (*mapping_at(resources, "limits"), *mapping_at(resources, "requests"))))


def asking_pod(data: Any, choices: dict[str, NodeChoice]) -> AskingPod:
    """Reads a Pod that asks for GPUs; `choices` are those that were seen, so that equal ones are one."""
    live, spec = live_pod(data), mapping_at(data, "spec")
    choice = node_choice(data)
    placed = next(
        (each for each in mappings_at(data, "status", "conditions") if text_at(each, "type") == "PodScheduled"), None
    )
    return AskingPod(
        live.namespace,
        live.name,
        live.node,
        live.owner,
        effective_requests(spec),
        _priority(spec),
        text_at(spec, "preemptionPolicy") == "Never",
        text_at(spec, "schedulerName") or "default-scheduler",
        moment(text_at(data, "metadata", "creationTimestamp")),
        moment(live.started),
        bool(text_at(data, "metadata", "deletionTimestamp")),
        _MIRROR in mapping_at(data, "metadata", "annotations"),
        choices.setdefault(choice.written, choice),
        tuple(text_at(each, "name") for each in mappings_at(spec, "schedulingGates")),
        text_at(placed, "message") if text_at(placed, "status") == "False" else "",
        text_at(placed, "status") == "False",
        tuple(_claims(data, spec)),
        _ended(data, spec) if live.phase == "Running" else None,
        "" if live.node else _group(data),
        () if live.node else tuple(neighbours_of(data)),
    )


def _group(data: Any) -> str:
    """The group that Volcano, or the scheduler's plugin for coscheduling, writes on its pods."""
    metadata = mapping_at(data, "metadata")
    told = mapping_at(metadata, "annotations"), mapping_at(metadata, "labels")
    return next((text_at(each, name) for each in told for name in _GROUPS if text_at(each, name)), "")


def _claims(data: Any, spec: Mapping[str, Any]) -> Iterator[str]:
    """The claims of its volumes. A volume that is made for the pod alone has the pod's name in its own."""
    for each in mappings_at(spec, "volumes"):
        named = text_at(each, "persistentVolumeClaim", "claimName")
        if named:
            yield named
        elif mapping_at(each, "ephemeral"):
            yield f"{text_at(data, 'metadata', 'name')}-{text_at(each, 'name')}"


def _priority(spec: Mapping[str, Any]) -> int:
    written = at(spec, "priority")
    return written if isinstance(written, int) else number_at(spec, "priority") or 0


def _ended(data: Any, spec: Mapping[str, Any]) -> Ended | None:
    """A container that asked for all of the GPUs and is done, beside one that runs on."""
    if text_at(spec, "restartPolicy") not in ("Never", "OnFailure"):
        return None
    states = {text_at(each, "name"): each for each in mappings_at(data, "status", "containerStatuses")}
    containers = mappings_at(spec, "containers")
    asking = [text_at(each, "name") for each in containers if _asks(each)]
    others = [text_at(each, "name") for each in containers if not _asks(each)]
    if not any(at(states.get(name), "state", "running") is not None for name in others):
        return None
    ended = [at(states.get(name), "state", "terminated") for name in asking]
    if not ended or not all(_is_done(each, text_at(spec, "restartPolicy")) for each in ended):
        return None
    return Ended(", ".join(asking), max(_times(ended), default=None))


def _is_done(ended: Any, policy: str) -> bool:
    """Whether it will not be started again."""
    return isinstance(ended, dict) and (policy == "Never" or number_at(ended, "exitCode") == 0)


def _times(ended: Sequence[Any]) -> list[datetime]:
    return [when for each in ended if (when := moment(text_at(each, "finishedAt"))) is not None]
