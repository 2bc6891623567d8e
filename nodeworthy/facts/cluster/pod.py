"""A pod as the cluster knows it: where it is, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.known.containerd import defaults
from nodeworthy.known.gpu_stack import part_of
from nodeworthy.records import dataclass

# What a kubelet says of a container that it has not started, while nothing is wrong yet.
_STARTING = frozenset(("", "ContainerCreating", "PodInitializing"))
# Why it never will, with what keeps it in the message beside.
_NEVER_STARTED = frozenset(
    (
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    )
)


@dataclass(frozen=True, slots=True)
class ClusterPod(NamedPod):
    node: str
    phase: str
    labels: Mapping[str, str]
    # The name of the DaemonSet that controls it, if one does.
    daemonset: str
    runtime_class: str
    wants_gpus: bool
    ready: bool
    # When it became ready, or ceased to be.
    since: str
    # None where the kubelet does not tell.
    has_sandbox: bool | None
    # Why a container does not run: CrashLoopBackOff, ImagePullBackOff; empty while nothing is wrong.
    fault: str
    restarts: int
    last_words: str
    # It has no network of its own.
    on_host_network: bool = False
    # The init container that runs, and since when: what it waits for is not there.
    waits_in: str = ""
    waits_since: str = ""
    # Which part of the GPU stack it is; empty where it is none.
    part: str = ""

    @property
    def uses_gpus(self) -> bool:
        return self.wants_gpus or self.runtime_class.startswith(defaults().runtime_class)

    @property
    def is_over(self) -> bool:
        return self.phase in ("Succeeded", "Failed")

    @property
    def has_run(self) -> bool:
        return self.has_sandbox is True or self.phase in ("Running", "Succeeded")

    @property
    def waits_for_its_sandbox(self) -> bool:
        """On a node, and yet without a sandbox, as far as its status tells."""
        return bool(self.node) and self.phase == "Pending" and not self.fault and self.has_sandbox is not True


def cluster_pod(data: Any) -> ClusterPod:
    """From an object of kind Pod."""
    conditions = {text_at(each, "type"): each for each in mappings_at(data, "status", "conditions")}
    statuses = list(_statuses(data))
    phase = text_at(data, "status", "phase")
    waits_in, waits_since = _running_init(data)
    return ClusterPod(
        namespace=text_at(data, "metadata", "namespace"),
        name=text_at(data, "metadata", "name"),
        node=text_at(data, "spec", "nodeName"),
        phase=phase,
        labels=strings_at(data, "metadata", "labels"),
        daemonset=_daemonset(data),
        runtime_class=text_at(data, "spec", "runtimeClassName"),
        wants_gpus=any(_wants_gpus(each) for each in mappings_at(data, "spec", "containers")),
        ready=_ready(phase, conditions, list(mappings_at(data, "status", "containerStatuses"))),
        since=text_at(conditions.get("Ready"), "lastTransitionTime"),
        has_sandbox=_has_sandbox(conditions, statuses),
        fault=next(filter(None, map(_fault, statuses)), ""),
        restarts=sum(number_at(each, "restartCount") or 0 for each in statuses),
        last_words=next(filter(None, map(_last_words, statuses)), ""),
        on_host_network=at(data, "spec", "hostNetwork") is True,
        waits_in=waits_in,
        waits_since=waits_since,
        part=next(
            filter(None, (part_of(text_at(each, "image")) for each in mappings_at(data, "spec", "containers"))), ""
        ),
    )


def _running_init(data: Any) -> tuple[str, str]:
    """A sidecar, which runs on beside the others, has started."""
    for status in mappings_at(data, "status", "initContainerStatuses"):
        since = text_at(status, "state", "running", "startedAt")
        if since and at(status, "started") is not True:
            return text_at(status, "name"), since
    return "", ""


def _wants_gpus(container: Mapping[str, Any]) -> bool:
    amounts = (mapping_at(container, "resources", kind) for kind in ("limits", "requests"))
    return any(name.startswith("nvidia.com/") for each in amounts for name in each)


def _ready(phase: str, conditions: Mapping[str, Any], statuses: Sequence[Mapping[str, Any]]) -> bool:
    """As the kubelet says it of the pod, else of each of its containers, which is what kubectl counts; a dump that
    was cut down by hand may have no more than its phase."""
    if "Ready" in conditions:
        return text_at(conditions["Ready"], "status") == "True"
    return all(at(each, "ready") is True for each in statuses) if statuses else phase == "Running"


def _statuses(data: Any) -> Iterator[Mapping[str, Any]]:
    yield from mappings_at(data, "status", "initContainerStatuses")
    yield from mappings_at(data, "status", "containerStatuses")


def _daemonset(data: Any) -> str:
    owners = mappings_at(data, "metadata", "ownerReferences")
    return next((text_at(each, "name") for each in owners if text_at(each, "kind") == "DaemonSet"), "")


def _has_sandbox(conditions: Mapping[str, Any], statuses: Sequence[Mapping[str, Any]]) -> bool | None:
    told = text_at(conditions.get("PodReadyToStartContainers"), "status")
    if told in ("True", "False"):
        return told == "True"
    ran = any(at(each, "state", "running") or at(each, "state", "terminated") for each in statuses)
    return True if ran else None


def _fault(status: Mapping[str, Any]) -> str:
    reason = text_at(status, "state", "waiting", "reason")
    if reason not in _STARTING:
        return reason
    ended = mapping_at(status, "state", "terminated")
    return text_at(ended, "reason") or "Error" if number_at(ended, "exitCode") else ""


def _last_words(status: Mapping[str, Any]) -> str:
    """What it said as it ended; of one that could not even start, what kubelet says of that."""
    if text_at(status, "state", "waiting", "reason") in _NEVER_STARTED:
        return text_at(status, "state", "waiting", "message").strip()
    for state in (at(status, "state"), at(status, "lastState")):
        if number_at(state, "terminated", "exitCode"):
            return text_at(state, "terminated", "message").strip() or _killed(text_at(state, "terminated", "reason"))
    return ""


def _killed(reason: str) -> str:
    """It had no time for a word."""
    return reason if reason in ("ContainerCannotRun", "OOMKilled", "StartError") else ""
