"""A pod as the cluster knows it: where it is, and how far it has come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from nodeworthy.documents.plain import at, mapping_at, mappings_at, number_at, strings_at, text_at
from nodeworthy.facts.cluster.named_pod import NamedPod
from nodeworthy.known.containerd import defaults
from nodeworthy.known.gpu_stack import INSTALLER, controller_of, named_pod, part_of
from nodeworthy.known.scaling import taint_cleared_by
from nodeworthy.records import dataclass, replace

# The conditions that are read.
_TOLD = ("Ready", "PodReadyToStartContainers", "PodScheduled")
# What a kubelet says of a container that it has not started, while nothing is wrong yet.
_STARTING = frozenset(("", "ContainerCreating", "PodInitializing"))
# Why it never will, with what keeps it in the message beside.
NEVER_STARTED = frozenset(
    (
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImageInspectError",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
    )
)

# How a container asks NVIDIA's runtime for GPUs, and for none.
_VISIBLE, _NO_GPU, _NONE = "NVIDIA_VISIBLE_DEVICES", "none", ("", "none", "void")
# What Kyverno writes on what a policy of it has changed.
_KYVERNO, _CHANGED = "Kyverno", "policies.kyverno.io/last-applied-patches"
# Where GKE has its driver on a node.
_GOOGLES = "/home/kubernetes/bin/nvidia"
# How a device plugin tells the toolkit which GPUs a container gets.
_STRATEGY, _MOUNTS = "DEVICE_LIST_STRATEGY", "volume-mounts"


# By which a pod asks Multus for further networks, and what that writes once it has made them.
_NETWORKS, _MADE = "k8s.v1.cni.cncf.io/networks", "k8s.v1.cni.cncf.io/network-status"
_LONGEST_NETWORKS = 200


@dataclass(slots=True, unsafe_hash=True)
class ClusterPod(NamedPod):
    node: str
    phase: str
    labels: Mapping[str, str]
    # The name of the DaemonSet that controls it, if one does.
    daemonset: str
    runtime_class: str
    wants_gpus: bool
    ready: bool
    # When it became ready, or ceased to be; of a pod on no node, when its scheduler first said that it finds none.
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
    # When the kubelet took it up, and what is wrong with it as a whole: Evicted, NodeLost.
    started: str = ""
    reason: str = ""
    # The templates of the devices that it claims.
    claims: tuple[str, ...] = ()
    # The controller of jobs that it is; empty where it is none.
    controls: str = ""
    # Why it is on no node, in its scheduler's words.
    unplaced: str = ""
    # The labels that a part of the stack asks of its node, while it is on none.
    chooses: tuple[tuple[str, str], ...] = ()
    # The init container that ends with an error.
    fails_in: str = ""
    # The container whose fault it is, of a pod that has others beside it.
    ails_in: str = ""
    # The container that its runtime has made and not started, while nothing is said of it.
    never_started: str = ""
    # A part of the stack that hands GPUs out by mounts, and may not do itself what that asks of it.
    lists_by_mounts: bool = False
    # A part that mounts the folder in which GKE's driver lies.
    mounts_googles_driver: bool = False
    # It asks NVIDIA's runtime for GPUs, and the cluster for none.
    asks_by_variable: bool = False
    # A part of the stack that is told of no GPU (NVIDIA_VISIBLE_DEVICES=none), and who changes pods as they are made.
    told_of_none: bool = False
    changed_by: str = ""
    # When it was to be gone that was deleted, and the claims that it holds.
    leaves: str = ""
    claimed: tuple[str, ...] = ()
    # The startup taint that its node keeps until it has done its work there.
    clears: str = ""
    # The networks that it asks Multus for beside its first one, while nobody has written that it got any.
    networks: str = ""

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
    def lacks_its_image(self) -> bool:
        return self.fault in ("ErrImagePull", "ImagePullBackOff")

    @property
    def waits_for_its_sandbox(self) -> bool:
        """Whether it is on a node and has no sandbox yet, as far as its status tells."""
        return bool(self.node) and self.phase == "Pending" and not self.fault and self.has_sandbox is not True


def cluster_pod(data: Any) -> ClusterPod:
    """Reads an object of kind Pod."""
    pod = _pod_as_it_stands(data)
    spec = mapping_at(data, "spec")
    containers = [*mappings_at(spec, "containers"), *mappings_at(spec, "initContainers")]
    if not pod.part or not any(map(_is_told_of_none, containers)):
        return pod
    changed = _CHANGED in mapping_at(mapping_at(data, "metadata"), "annotations")
    return replace(pod, told_of_none=True, changed_by=_KYVERNO if changed else "")


def _pod_as_it_stands(data: Any) -> ClusterPod:
    """Large clusters have many with words in common: each word is kept once."""
    metadata, spec, status = mapping_at(data, "metadata"), mapping_at(data, "spec"), mapping_at(data, "status")
    first, own = mappings_at(status, "initContainerStatuses"), mappings_at(status, "containerStatuses")
    containers, conditions, statuses = mappings_at(spec, "containers"), _conditions(status), [*first, *own]
    ailing = [each for each in statuses if not _has_always_run(each)]
    node, waits, ran = text_at(spec, "nodeName"), _running_init(spec, first), _what_runs(metadata, spec, containers)
    return ClusterPod(
        *(intern(text_at(metadata, "namespace")), text_at(metadata, "name"), intern(node)),
        phase=intern(text_at(status, "phase")),
        labels=_labels(metadata),
        daemonset=intern(_daemonset(metadata)),
        runtime_class=intern(text_at(spec, "runtimeClassName")),
        wants_gpus=any(map(_wants_gpus, containers)),
        ready=_ready(status, conditions, own),
        since=intern(_since(conditions, is_placed=bool(node))),
        has_sandbox=_has_sandbox(conditions, statuses),
        fault=next(filter(None, map(_fault, ailing)), "") if ailing else "",
        restarts=sum(number_at(each, "restartCount") or 0 for each in statuses),
        last_words=next(filter(None, map(_last_words, ailing)), "") if ailing else "",
        on_host_network=spec.get("hostNetwork") is True,
        waits_in=waits[0],
        waits_since=waits[1],
        part=ran.part,
        started=intern(text_at(status, "startTime")),
        reason=intern(text_at(status, "reason")),
        claims=tuple(text_at(each, "resourceClaimTemplateName") for each in mappings_at(spec, "resourceClaims")),
        controls=ran.controller,
        unplaced="" if node else text_at(conditions.get("PodScheduled"), "message"),
        chooses=() if node or not ran.part else tuple(strings_at(spec, "nodeSelector").items()),
        fails_in=_failing(first) if ailing else "",
        ails_in=_failing(ailing) if ailing and len(statuses) > 1 else "",
        never_started=next(filter(None, map(_made_alone, ailing)), "") if ailing else "",
        lists_by_mounts=bool(ran.part) and any(map(_lists_by_mounts, containers)),
        mounts_googles_driver=bool(ran.part) and any(map(_is_of_googles_driver, mappings_at(spec, "volumes"))),
        asks_by_variable=any(map(_asks_the_runtime, containers)) and not any(map(_wants_gpus, containers)),
        leaves=text_at(metadata, "deletionTimestamp"),
        claimed=tuple(_claimed(spec, status)),
        networks=_networks_not_made(mapping_at(metadata, "annotations")),
        clears=ran.clears,
    )


class _Ran(NamedTuple):
    """What a pod is by the images of its containers."""

    part: str
    controller: str
    # The startup taint that it clears.
    clears: str


def _what_runs(metadata: Mapping[str, Any], spec: Mapping[str, Any], containers: Sequence[Mapping[str, Any]]) -> _Ran:
    """By its images; where a table of pods names none, or one is put together wrongly, by its name."""
    if not containers:
        return _Ran(named_pod(text_at(metadata, "name")).part, "", "")
    images = tuple([text_at(each, "image") for each in containers])
    ran = _by_images(images)
    if not ran.part and any(map(_is_nameless, images)):
        return ran._replace(part=named_pod(text_at(metadata, "name")).part)
    first = mappings_at(spec, "initContainers") if not ran.part else ()
    return ran._replace(part=_installer(first)) if first else ran


def _is_nameless(image: str) -> bool:
    """`/:570.172.08`, as it is put together of a version alone: what it should run only the pod's name tells."""
    return image.rpartition("/")[2].startswith((":", "@"))


# Of all pods, those of one template over and over.
@lru_cache(maxsize=4096)
def _by_images(images: tuple[str, ...]) -> _Ran:
    return _Ran(*(next(filter(None, map(told, images)), "") for told in (part_of, controller_of, taint_cleared_by)))


def _conditions(status: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {kind: each for each in mappings_at(status, "conditions") if (kind := each.get("type")) in _TOLD}


def _networks_not_made(annotations: Mapping[str, Any]) -> str:
    """Multus writes what it made of a pod's networks into its status, of the first one, too."""
    if _NETWORKS not in annotations or _MADE in annotations:
        return ""
    return " ".join(text_at(annotations, _NETWORKS).split())[:_LONGEST_NETWORKS]


def _labels(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    written = mapping_at(metadata, "labels")
    try:
        return _kept_once(tuple(written.items()))
    except TypeError:  # a value is no text, but a list
        return _kept_once(tuple(strings_at(metadata, "labels").items()))


# Of all pods, those of one template over and over.
@lru_cache(maxsize=4096)
def _kept_once(written: tuple[tuple[str, Any], ...]) -> Mapping[str, str]:
    return {intern(name): intern(value) for name, value in written if isinstance(value, str)}


def _since(conditions: Mapping[str, Any], *, is_placed: bool) -> str:
    """Kubelet says whether a pod is ready; of one that has none, the scheduler says since when."""
    ready = text_at(conditions.get("Ready"), "lastTransitionTime")
    return ready if ready or is_placed else text_at(conditions.get("PodScheduled"), "lastTransitionTime")


def _claimed(spec: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[str]:
    """By their names, or by those of claims that were made for it from a template."""
    named = (*mappings_at(spec, "resourceClaims"), *mappings_at(status, "resourceClaimStatuses"))
    yield from filter(None, (text_at(each, "resourceClaimName") for each in named))


def _installer(init_containers: Sequence[Mapping[str, Any]]) -> str:
    """One that does its work before a container that only waits. Others of the stack have such beside their own."""
    part = _by_images(tuple(text_at(each, "image") for each in init_containers)).part
    return part if part == INSTALLER else ""


def _running_init(spec: Mapping[str, Any], first: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """A sidecar runs on beside the others. Kubelets since 1.28 call any that runs started: only the specification tells
    which is one, and where that is not there, `started` does."""
    if not first:
        return "", ""
    own = {text_at(each, "name"): text_at(each, "restartPolicy") for each in mappings_at(spec, "initContainers")}
    for status in first:
        name, since = text_at(status, "name"), text_at(status, "state", "running", "startedAt")
        runs_beside = own[name] == "Always" if name in own else at(status, "started") is True
        if since and not runs_beside:
            return name, since
    return "", ""


def _failing(statuses: Sequence[Mapping[str, Any]]) -> str:
    return next((text_at(each, "name") for each in statuses if not _has_always_run(each) and _fault(each)), "")


def _lists_by_mounts(container: Mapping[str, Any]) -> bool:
    """A toolkit that takes mounts takes variables of privileged containers alone."""
    env = {text_at(each, "name"): text_at(each, "value") for each in mappings_at(container, "env")}
    given = (*_words_at(container, "args"), *_words_at(container, "command"))
    named = [each for each in given if each.startswith("--device-list-strategy")]
    context = mapping_at(container, "securityContext")
    may = at(context, "privileged") is True or "SYS_ADMIN" in _words_at(context, "capabilities", "add")
    return not may and any(_MOUNTS in each for each in (env.get(_STRATEGY, ""), *named))


def _is_of_googles_driver(volume: Mapping[str, Any]) -> bool:
    return text_at(volume, "hostPath", "path").startswith(_GOOGLES)


def _asks_the_runtime(container: Mapping[str, Any]) -> bool:
    told = _visible_devices(container)
    return bool(told) and told[-1] not in _NONE


def _is_told_of_none(container: Mapping[str, Any]) -> bool:
    return _visible_devices(container)[-1:] == [_NO_GPU]


def _visible_devices(container: Mapping[str, Any]) -> list[str]:
    """What NVIDIA_VISIBLE_DEVICES is, as often as it is written; the last counts."""
    # Not by the names of `plain`: a pod may have a hundred variables, and a cluster a hundred thousand pods.
    env = container.get("env")
    if not isinstance(env, list):
        return []
    return [text_at(each, "value") for each in env if isinstance(each, dict) and each.get("name") == _VISIBLE]


def _words_at(data: Any, *names: str) -> list[str]:
    found = at(data, *names)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _wants_gpus(container: Mapping[str, Any]) -> bool:
    resources = container.get("resources")
    if not resources:
        return False
    return any(map(_is_nvidias, (*mapping_at(resources, "limits"), *mapping_at(resources, "requests"))))


# Of all pods, a few names over and over.
@lru_cache(maxsize=1024)
def _is_nvidias(resource: str) -> bool:
    return resource.startswith("nvidia.com/")


def _ready(status: Mapping[str, Any], conditions: Mapping[str, Any], statuses: Sequence[Mapping[str, Any]]) -> bool:
    """Whether it is ready, as the kubelet says of the pod. Where it does not say, each container has to be ready, which
    is what kubectl counts. A dump that somebody has cut down may hold no more than the phase."""
    if "Ready" in conditions:
        return text_at(conditions["Ready"], "status") == "True"
    return all(at(each, "ready") is True for each in statuses) if statuses else text_at(status, "phase") == "Running"


def _daemonset(metadata: Mapping[str, Any]) -> str:
    for each in mappings_at(metadata, "ownerReferences"):
        if each.get("kind") == "DaemonSet":
            return text_at(each, "name")
    return ""


def _has_sandbox(conditions: Mapping[str, Any], statuses: Sequence[Mapping[str, Any]]) -> bool | None:
    told = text_at(conditions.get("PodReadyToStartContainers"), "status")
    if told in ("True", "False"):
        return told == "True"
    ran = any(at(each, "state", "running") or at(each, "state", "terminated") for each in statuses)
    return True if ran else None


def _has_always_run(status: Mapping[str, Any]) -> bool:
    """Nearly all of them do, and have no fault and no last words."""
    state = status.get("state")
    return isinstance(state, dict) and len(state) == 1 and "running" in state and not status.get("lastState")


def _made_alone(status: Mapping[str, Any]) -> str:
    """Its name, where kubelet knows it by an id (the runtime has made it) and it has neither run nor failed."""
    waits = "waiting" in mapping_at(status, "state") and text_at(status, "state", "waiting", "reason") in _STARTING
    made = waits and text_at(status, "containerID") and not status.get("lastState")
    return text_at(status, "name") if made else ""


def _fault(status: Mapping[str, Any]) -> str:
    reason = text_at(status, "state", "waiting", "reason")
    if reason not in _STARTING:
        return reason
    ended = mapping_at(status, "state", "terminated")
    return text_at(ended, "reason") or "Error" if number_at(ended, "exitCode") else ""


def _last_words(status: Mapping[str, Any]) -> str:
    """What it said as it ended; of one that could not even start, what kubelet says of that."""
    if text_at(status, "state", "waiting", "reason") in NEVER_STARTED:
        return text_at(status, "state", "waiting", "message").strip()
    for state in ("state", "lastState"):
        ended = mapping_at(status, state, "terminated")
        if ended and number_at(ended, "exitCode"):
            return text_at(ended, "message").strip() or _killed(text_at(ended, "reason"))
    return ""


def _killed(reason: str) -> str:
    """The reason of a container that had no time for a word of its own."""
    return reason if reason in ("ContainerCannotRun", "OOMKilled", "StartError") else ""
