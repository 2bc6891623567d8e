"""The stack that makes GPUs usable in a cluster, and the pods that need it: what of them has not come to rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.facts.cluster.elapsed import has_just_begun, has_lasted
from nodeworthy.facts.cluster.mig_refused import MigReason
from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint
from nodeworthy.facts.cluster.pending_kept_away import is_state
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.stuck_objects import StuckObject
from nodeworthy.facts.pod.node_choice import NodeChoice
from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import EvidenceMatch, in_text
from nodeworthy.known.gpu_stack import DRA_DRIVER, OPERATOR, brings_gpus, waits_for, why_it_is_killed
from nodeworthy.known.instances import exists, has_gpus
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# A driver is compiled on the node, and all others wait for it.
_STARTS = timedelta(minutes=15)
# A node that boots, or whose kubelet starts again, is not ready for a while.
_RECOVERS = timedelta(minutes=5)
# What the platform owes a pod, whatever its program does.
_OF_THE_PLATFORM = frozenset(
    (
        "ContainerCannotRun",
        "CreateContainerConfigError",
        "CreateContainerError",
        "ErrImageNeverPull",
        "ErrImagePull",
        "ImageInspectError",
        "ImagePullBackOff",
        "InvalidImageName",
        "RunContainerError",
        "StartError",
    )
)
# Of these what its owner wrote: it names what is not there.
OF_ITS_OWNER = frozenset(("CreateContainerConfigError", "ErrImageNeverPull"))
# What runtimes call a container that they could not start.
_REFUSES = pattern(r"(?:runtime|runc|crun|container) create failed")
# The links by which every container of a node may hang.
_RUNTIME = ("toolkit", "cdi", "runtime")
# Where the words of NVIDIA's DRA driver were read.
_SOURCES_OF_ITS_DRIVER = ("NVIDIA/", "dra-driver-nvidia-gpu")
# As known/gpu_stack.toml calls it.
_PLUGIN, _DRIVER = "the device plugin", "the driver"
# They can't run where there is no GPU of NVIDIA's.
_NEED_A_GPU = frozenset((_PLUGIN, _DRIVER, "DCGM", "GPU feature discovery"))
# Of a pod whose devices were not made ready.
_UNPREPARED = "prepare dynamic resources"
_OF_ANOTHER = pattern(r"DRA driver (?![\w.-]{0,99}nvidia\.com)")
# What kubelet says while it waits, of which an event tells more.
_BACKS_OFF = "Back-off pulling image"
NO_SANDBOX = "no sandbox"
# Of a pod that is ready, and says in its log that it sees no GPU.
WITHOUT_GPUS, REFUSED = "running without its GPUs", "refused by the API server"
OUT_OF_MEMORY = "OOMKilled"
# What the container lacks that another runtime started.
_WITHOUT_TOOLS = "smi-not-in-container"
UPGRADE = "nvidia.com/gpu-driver-upgrade-state"
_WANTED = "nvidia.com/mig.config"
_WANTED_VGPUS = "nvidia.com/vgpu.config"


@dataclass(frozen=True)
class UnsettledPods:
    """Pods of one maker that fare alike."""

    pods: tuple[ClusterPod, ...]
    fault: str
    # What the last of them said, or kubelet of it.
    words: str
    # The part that they wait for in an init container, and why it does not come to their node.
    waits_for: str = ""
    absent: str = ""
    # Others that wait for these.
    beside: tuple[ClusterPod, ...] = ()
    # The type of its node, where machines of that have no GPU of NVIDIA's.
    on_no_gpu: str = ""
    # Its node gets the driver from a container of the operator.
    beside_driver: bool = False
    # The platform started it, and its program says what it lacks.
    by_its_own_words: bool = False
    # It names no RuntimeClass, and NVIDIA's is there.
    names_no_class: bool = False

    @property
    def first(self) -> ClusterPod:
        return self.pods[0]

    @property
    def place(self) -> Place:
        if len(self.pods) > 1 and self.first.daemonset:
            return Place(object=f"DaemonSet/{self.first.namespace}/{self.first.daemonset}")
        return self.first.place


@dataclass(frozen=True)
class StackDaemonSet:
    """A DaemonSet of the stack, and the nodes that its pods may run on."""

    namespace: str
    name: str
    part: str
    choice: NodeChoice
    runtime_class: str = ""

    @property
    def place(self) -> Place:
        return Place(object=f"DaemonSet/{self.namespace}/{self.name}")

    def may_come(self, node: NodeGpus) -> bool:
        return self.choice.takes(node.labels, node.name) and not self.choice.kept_away(node)

    def barred(self, node: NodeGpus) -> Iterator[str]:
        """Which lines of it keep its pods off a node."""
        for each in self.choice.barred(node.labels, node.name):
            yield f"{each.says}{f', {each.instead} there' if each.instead else ''}"
        yield from (f"it does not tolerate {taint}" for taint in self.choice.kept_away(node))


@dataclass(frozen=True)
class ShutOut:
    """Nodes with GPUs on which a part may not run, for a taint that it does not tolerate."""

    daemonset: StackDaemonSet
    taint: Taint
    nodes: tuple[NodeGpus, ...]

    @property
    def place(self) -> Place:
        return self.daemonset.place


@dataclass(frozen=True)
class UnmadePods:
    """A part that has no pods, because the API server refuses them."""

    daemonset: StackDaemonSet
    words: str
    # That it would have come to.
    nodes: tuple[NodeGpus, ...]

    @property
    def place(self) -> Place:
        return self.daemonset.place


@dataclass(frozen=True)
class UnmadeWork:
    """A maker of pods with GPUs, or of the stack, that has none, because the API server refuses them."""

    place: Place
    words: str
    # Which part of the stack it is; empty where it is somebody's work.
    part: str = ""


@dataclass(frozen=True)
class FailedMig:
    """A node whose GPUs could not be cut as its label asks."""

    node: NodeGpus
    # What is wrong with the configuration that it asks for, where that was read.
    reason: MigReason | None = None

    @property
    def place(self) -> Place:
        return self.node.place

    @property
    def wanted(self) -> str:
        return self.node.labels.get(_WANTED, "")


@dataclass(frozen=True)
class FailedVgpus:
    """A node whose GPUs could not be divided into vGPUs as its label asks."""

    node: NodeGpus
    # What the vGPU device manager says of it, where that is known.
    words: str = ""

    @property
    def place(self) -> Place:
        return self.node.place

    @property
    def wanted(self) -> str:
        return self.node.labels.get(_WANTED_VGPUS, "")


@dataclass(frozen=True)
class FailedUpgrade:
    """Nodes on which the driver's upgrade failed, and those that wait behind them."""

    nodes: tuple[NodeGpus, ...]
    behind: tuple[NodeGpus, ...]

    @property
    def place(self) -> Place:
        return self.nodes[0].place


@dataclass(frozen=True)
class UnreadyNodes:
    """Nodes with GPUs of which the same is said by their kubelets, or of these by the control plane."""

    nodes: tuple[NodeGpus, ...]
    ails: str

    @property
    def place(self) -> Place:
        return self.nodes[0].place


@dataclass(frozen=True)
class GpuStack:
    called: ClassVar[str] = "a cluster with a GPU stack"

    unsettled: tuple[UnsettledPods, ...]
    shut_out: tuple[ShutOut, ...] = ()
    not_cut: tuple[FailedMig, ...] = ()
    upgrade: FailedUpgrade | None = None
    unmade: tuple[UnmadePods, ...] = ()
    work: tuple[UnmadeWork, ...] = ()
    # What their controllers could not do, and nodes that their kubelets do not hold for fit.
    objects: tuple[StuckObject, ...] = ()
    unready: tuple[UnreadyNodes, ...] = ()
    without_vgpus: tuple[FailedVgpus, ...] = ()
    # Why not all of it could be looked at.
    unseen: str | None = None

    @property
    def place(self) -> Place:
        return Place(subject="the GPU stack")


def gpu_stack(
    pods: Iterable[ClusterPod],
    nodes: Mapping[str, NodeGpus],
    daemonsets: Iterable[StackDaemonSet],
    said: Mapping[str, str],
    now: datetime | None,
    *,
    logs: Mapping[str, str],
    users: Mapping[str, str],
    refused: Mapping[tuple[str, str], str],
) -> GpuStack:
    """`said` is kubelet's newest word of a pod that it could not make, `logs` what its log says last, by object;
    `refused` what the API server says of pods that it does not let a DaemonSet make."""
    pods, daemonsets = list(pods), list(daemonsets)
    with_gpus = [node for node in nodes.values() if node.has_gpus]
    claimed = _said_of_claims(said) if any(each.part == DRA_DRIVER for each in daemonsets) else frozenset()
    named = frozenset(node.name for node in with_gpus)
    unsettled = list(_unsettled(pods, said, {**logs, **users}, now, with_gpus=named, claimed=claimed))
    told = {pod.object for each in unsettled for pod in each.pods}
    unsettled = [_on_its_node(each, nodes, pods) for each in unsettled]
    unsettled += _by_their_own_words((pod for pod in pods if pod.object not in told), users)
    # Where the CNI's own pod can't start, the node has no network for that.
    without_cni = {pod.node for each in unsettled for pod in each.pods if not pod.part and not pod.uses_gpus}
    ailing = (node for node in with_gpus if node.name not in without_cni or not node.ails_without_network)
    return GpuStack(
        _by_what_they_wait_for(unsettled, daemonsets, nodes),
        tuple(
            each for daemonset in daemonsets if brings_gpus(daemonset.part) for each in _shut_out(daemonset, with_gpus)
        ),
        tuple(FailedMig(node) for node in with_gpus if node.is_not_cut),
        _upgrade(with_gpus),
        tuple(_unmade(pods, daemonsets, refused, with_gpus)),
        without_vgpus=tuple(FailedVgpus(node) for node in with_gpus if node.has_no_vgpus),
        unready=tuple(_unready(ailing, now)),
    )


def _unready(nodes: Iterable[NodeGpus], now: datetime | None) -> Iterator[UnreadyNodes]:
    """The nodes that are not ready, grouped by what is said first: times and byte counts differ from node to node."""
    alike: dict[str, list[NodeGpus]] = defaultdict(list)
    for node in nodes:
        if node.ails and not has_just_begun(node.ails_since, now, _RECOVERS):
            alike[node.ails.partition(":")[0]].append(node)
    for some in alike.values():
        yield UnreadyNodes(tuple(some), some[0].ails)


def _unmade(
    pods: Iterable[ClusterPod],
    daemonsets: Iterable[StackDaemonSet],
    refused: Mapping[tuple[str, str], str],
    nodes: Sequence[NodeGpus],
) -> Iterator[UnmadePods]:
    """An event outlives what it tells of: where there are pods, they were made since."""
    made = {(pod.namespace, pod.daemonset) for pod in pods}
    for each in daemonsets:
        words = refused.get((each.namespace, each.name), "")
        if words and (each.namespace, each.name) not in made:
            yield UnmadePods(each, words, tuple(node for node in nodes if each.choice.takes(node.labels, node.name)))


def _unsettled(
    pods: Iterable[ClusterPod],
    said: Mapping[str, str],
    logs: Mapping[str, str],
    now: datetime | None,
    *,
    with_gpus: frozenset[str],
    claimed: Collection[str],
) -> Iterator[UnsettledPods]:
    alike: dict[tuple[str, ...], list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        fault = (_of_stack(pod, said, now) or _refused(pod, logs)) if pod.part else _of_user(pod, said, claimed)
        if not fault and not pod.part and not pod.uses_gpus and pod.node in with_gpus:
            fault = _of_node(pod, said)
        if fault:
            alike[pod.namespace, pod.daemonset or pod.name, fault].append(pod)
    for (_, _, fault), some in alike.items():
        some.sort(key=lambda each: each.name)
        words = (_words_of(each, said, logs) for each in some)
        yield UnsettledPods(tuple(some), fault, next(filter(None, words), ""))


def _on_its_node(found: UnsettledPods, nodes: Mapping[str, NodeGpus], pods: Iterable[ClusterPod]) -> UnsettledPods:
    """Adds what its node tells of it: that it has no GPU of NVIDIA's, or where its driver comes from."""
    part, node = found.first.part, nodes.get(found.first.node)
    if part == DRA_DRIVER:
        drivers = {pod.node for pod in pods if pod.part == _DRIVER and pod.ready}
        return replace(found, beside_driver=found.first.node in drivers)
    kind = node.instance_type if node is not None and part in _NEED_A_GPU and not node.has_gpus else ""
    return replace(found, on_no_gpu=kind) if exists(kind) and not has_gpus(kind) else found


def _by_their_own_words(pods: Iterable[ClusterPod], users: Mapping[str, str]) -> Iterator[UnsettledPods]:
    """Finds the users' pods that say themselves what their node owes them: one for each maker and each word."""
    alike: dict[tuple[str, ...], list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        words = users.get(pod.object, "")
        if words:
            known = next((each.evidence.id for each in in_text(words)), "")
            alike[pod.namespace, pod.fault or WITHOUT_GPUS, known].append(pod)
    for (_, fault, _), some in alike.items():
        some.sort(key=lambda each: each.name)
        yield UnsettledPods(tuple(some), fault, users[some[0].object], by_its_own_words=True)


def _words_of(pod: ClusterPod, said: Mapping[str, str], logs: Mapping[str, str]) -> str:
    own = "" if pod.last_words.startswith(_BACKS_OFF) else pod.last_words
    return own or logs.get(pod.object) or said.get(pod.object) or pod.last_words


def _by_what_they_wait_for(
    found: Sequence[UnsettledPods], daemonsets: Iterable[StackDaemonSet], nodes: Mapping[str, NodeGpus]
) -> tuple[UnsettledPods, ...]:
    """The unsettled pods without victims: a pod whose init container waits for another part that does not run on its
    node is a victim of that part."""
    part_of = [waits_for(each.first.waits_in) if each.first.part else "" for each in found]
    causes = [each for each, part in zip(found, part_of, strict=True) if not part]
    beside: list[list[ClusterPod]] = [[] for _ in causes]
    on_node: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, one in enumerate(causes):
        for node in {pod.node for pod in one.pods}:
            on_node[one.first.part, node].append(number)
    # What waits for a part that waits itself, hangs by what that one waits for.
    awaited = {(each.first.part, each.first.node): part for each, part in zip(found, part_of, strict=True) if part}
    left = []
    for each, part in zip(found, part_of, strict=True):
        there = on_node.get((_first_awaited(part, each.first.node, awaited), each.first.node), ())
        at = next((at for at in there if _is_beside(causes[at], each)), None)
        if part and at is not None:
            beside[at] += each.pods
        elif part:
            absent = _why_absent(part, nodes.get(each.first.node), daemonsets)
            left.append(replace(each, waits_for=part, absent=absent))
    told = (replace(each, beside=tuple(pods)) for each, pods in zip(causes, beside, strict=True))
    return (*told, *left)


def _first_awaited(part: str, node: str, awaited: Mapping[tuple[str, str], str]) -> str:
    """The part behind which all that wait on a node wait, one for the other."""
    for _ in range(len(awaited)):
        if (part, node) not in awaited:
            break
        part = awaited[part, node]
    return part


def _is_beside(cause: UnsettledPods, waiting: UnsettledPods) -> bool:
    return {pod.node for pod in waiting.pods} <= {pod.node for pod in cause.pods}


def _why_absent(part: str, node: NodeGpus | None, daemonsets: Iterable[StackDaemonSet]) -> str:
    """Why a part may not come to a node, where there is one and it comes from nowhere else."""
    of_part = [each for each in daemonsets if each.part == part]
    if node is None or not of_part or any(each.may_come(node) for each in of_part):
        return ""
    first = of_part[0]
    return f"{first.namespace}/{first.name} leaves {node.title} out: {'; '.join(list(first.barred(node))[:3])}"


def absent_everywhere(part: str, daemonsets: Iterable[StackDaemonSet], nodes: Iterable[NodeGpus]) -> str:
    """Why a part that is there comes to none of the nodes with GPUs, as told of the first of them."""
    daemonsets, with_gpus = list(daemonsets), [node for node in nodes if node.has_gpus]
    told = [_why_absent(part, node, daemonsets) for node in with_gpus]
    return told[0] if told and all(told) else ""


def _of_stack(pod: ClusterPod, said: Mapping[str, str], now: datetime | None) -> str:
    if pod.is_over or pod.ready:
        return ""
    if pod.fault and (pod.restarts or pod.fault in _OF_THE_PLATFORM):
        return pod.fault
    if not has_lasted(moment(pod.since), now, _STARTS):
        return ""
    if pod.waits_for_its_sandbox and pod.object in said:
        return NO_SANDBOX
    return pod.fault or "not ready"


def _refused(pod: ClusterPod, logs: Mapping[str, str]) -> str:
    """An operator that runs on, though the API server refuses it what it works by."""
    return REFUSED if pod.part == OPERATOR and pod.ready and pod.object in logs else ""


def _said_of_claims(said: Mapping[str, str]) -> frozenset[str]:
    """Where NVIDIA's driver of claims is in the cluster: kubelet does not always say whose driver it asked."""
    return frozenset(told for told, words in said.items() if _UNPREPARED in words and not _OF_ANOTHER.search(words))


def _of_user(pod: ClusterPod, said: Mapping[str, str], claimed: Collection[str]) -> str:
    """The fault of a user's pod, where the platform failed it: what its program does is its own."""
    if pod.ready or not pod.node:
        return ""
    if pod.fault and not pod.is_over and (_is_refused(pod.last_words) or _got_no_runtime(pod)):
        return pod.fault
    asks = pod.uses_gpus or pod.object in claimed or _claims_gpus(pod, said)
    if asks and pod.fault and is_killed_in_its_init(pod):
        return pod.fault
    return _of_the_platform(pod, said) if asks else ""


def is_killed_in_its_init(pod: ClusterPod) -> bool:
    """Whether the kernel kills what an operator put before the pod's program, at a limit that is not the pod's own."""
    return pod.last_words == OUT_OF_MEMORY and bool(why_it_is_killed(pod.fails_in)[0])


def _claims_gpus(pod: ClusterPod, said: Mapping[str, str]) -> bool:
    """Whether it asks for GPUs by a claim. Its resources say nothing of that, but kubelet names the driver that it asks
    for the device, or passes on what that driver alone says."""
    words = said.get(pod.object, "")
    return _UNPREPARED in words and ("nvidia.com" in words or any(map(_is_of_its_driver, in_text(words))))


def _is_of_its_driver(found: EvidenceMatch) -> bool:
    evidence = found.evidence
    is_of_it = any(each in evidence.source for each in _SOURCES_OF_ITS_DRIVER)
    return evidence.layer in ("dra", "mig") and not evidence.is_symptom and is_of_it


def _of_the_platform(pod: ClusterPod, said: Mapping[str, str]) -> str:
    if pod.fault in _OF_THE_PLATFORM:
        return pod.fault
    return NO_SANDBOX if pod.waits_for_its_sandbox and pod.object in said else ""


def _of_node(pod: ClusterPod, said: Mapping[str, str]) -> str:
    """Where NVIDIA's runtime is the default one, what is wrong with it starts no pod of the node, the CNI's neither."""
    fault = "" if pod.ready else _of_the_platform(pod, said)
    words = pod.last_words or said.get(pod.object, "")
    return fault if fault and any(map(_is_of_the_runtime, in_text(words))) else ""


def _is_refused(words: str) -> bool:
    """Whether NVIDIA's runtime refused the container. Its own program has not run, so the fault is the node's."""
    if "nvidia-container" not in words or _REFUSES.search(words) is None:
        return False
    found = (each.evidence for each in in_text(words))
    return any(not each.is_symptom and link_of_evidence(each.id, each.layer) in _RUNTIME for each in found)


def _got_no_runtime(pod: ClusterPod) -> bool:
    """Whether a container that asks for GPUs could not start for want of what NVIDIA's runtime puts into it."""
    if not pod.uses_gpus or _REFUSES.search(pod.last_words) is None:
        return False
    return any(each.evidence.id == _WITHOUT_TOOLS for each in in_text(pod.last_words))


def _is_of_the_runtime(found: EvidenceMatch) -> bool:
    """Whether this is about NVIDIA's runtime: a node may have other runtimes, which are not judged here."""
    evidence = found.evidence
    of_it = not evidence.is_symptom and link_of_evidence(evidence.id, evidence.layer) in _RUNTIME
    return of_it and "nvidia" in found.itself.lower()


def _shut_out(daemonset: StackDaemonSet, nodes: Sequence[NodeGpus]) -> Iterator[ShutOut]:
    """Taints that tell a state go by themselves, and DaemonSets tolerate most of them anyway."""
    found: dict[Taint, list[NodeGpus]] = defaultdict(list)
    for node in nodes:
        if daemonset.choice.takes(node.labels, node.name):
            for taint in daemonset.choice.kept_away(node):
                if not is_state(taint):
                    found[taint].append(node)
    for taint, some in found.items():
        yield ShutOut(daemonset, taint, tuple(some))


def plugins_shut_out(daemonsets: Iterable[StackDaemonSet], nodes: Iterable[NodeGpus]) -> frozenset[str]:
    """The nodes to which no device plugin may come that would choose them: this is told with the taint."""
    plugins = [each for each in daemonsets if each.part == _PLUGIN]
    return frozenset(node.name for node in nodes if plugins and all(_is_shut_out(each, node) for each in plugins))


def placeless_plugins(daemonsets: Iterable[StackDaemonSet], nodes: Collection[NodeGpus]) -> tuple[StackDaemonSet, ...]:
    """Device plugins that choose none of the nodes there are, by labels that nothing sets."""
    plugins = (each for each in daemonsets if each.part == _PLUGIN and nodes)
    return tuple(each for each in plugins if not any(each.choice.takes(node.labels, node.name) for node in nodes))


def _is_shut_out(daemonset: StackDaemonSet, node: NodeGpus) -> bool:
    choice = daemonset.choice
    return choice.takes(node.labels, node.name) and not all(map(is_state, choice.kept_away(node)))


def _upgrade(nodes: Sequence[NodeGpus]) -> FailedUpgrade | None:
    failed = tuple(node for node in nodes if node.labels.get(UPGRADE) == "upgrade-failed")
    behind = tuple(node for node in nodes if node.labels.get(UPGRADE) == "upgrade-required")
    return FailedUpgrade(failed, behind) if failed else None
