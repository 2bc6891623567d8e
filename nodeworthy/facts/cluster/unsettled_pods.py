"""Pods of the GPU stack, of users and of a node's own that have not come to rest, and whose fault that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pod import NEVER_STARTED, ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.shared_claims import HeldVolume
from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet, why_absent
from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import EvidenceMatch, in_text
from nodeworthy.known.gpu_stack import DRA_DRIVER, OPERATOR, speakers, waits_for, why_it_is_killed
from nodeworthy.known.instances import exists, has_gpus
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# A driver is compiled on the node, and all others wait for it.
_STARTS = timedelta(minutes=15)
# What the platform owes a pod, whatever its program does.
_OF_THE_PLATFORM = NEVER_STARTED | {"ContainerCannotRun", "StartError"}
# Of these what its owner wrote: it names what is not there.
OF_ITS_OWNER = frozenset(("CreateContainerConfigError", "ErrImageNeverPull"))
# What runtimes call a container that they could not start.
_REFUSES = pattern(r"(?:runtime|runc|crun|container) create failed")
# The links by which every container of a node may hang.
_RUNTIME = ("toolkit", "cdi", "runtime")
_OF_A_REFUSAL = (*_RUNTIME, "pod")
# The kinds of the CDI files that NVIDIA's DRA driver writes for claims.
_MADE_FOR_CLAIMS = ("k8s.gpu.nvidia.com/", "k8s.compute-domain.nvidia.com/")
# Where the words of NVIDIA's DRA driver were read.
_SOURCES_OF_ITS_DRIVER = ("NVIDIA/", "dra-driver-nvidia-gpu")
# As known/gpu_stack.toml calls it.
_PLUGIN, _DRIVER = "the device plugin", "the driver"
# They can't run where there is no GPU of NVIDIA's.
_DCGM = "DCGM"
_NEED_A_GPU = frozenset((_PLUGIN, _DRIVER, _DCGM, "GPU feature discovery"))
# Of a pod whose devices were not made ready.
_UNPREPARED = "prepare dynamic resources"
_OF_ANOTHER = pattern(r"DRA driver (?![\w.-]{0,99}nvidia\.com)")
# What kubelet says while it waits, of which an event tells more.
_BACKS_OFF = "Back-off pulling image"
NO_SANDBOX = "no sandbox"
# Of a pod that is ready, and says in its log that it sees no GPU.
WITHOUT_GPUS, REFUSED = "running without its GPUs", "refused by the API server"
# Of one that runs well itself, and says that a node may not work.
SPEAKS = "running, and its log tells of a node that does not work"
OUT_OF_MEMORY = "OOMKilled"
# What the container lacks that another runtime started.
_WITHOUT_TOOLS = "smi-not-in-container"
# What keeps a node from making any pod.
_FOR_EACH_POD = "sandbox-image-gone"


# Longer than the largest image takes.
_IS_FORGOTTEN = timedelta(minutes=45)


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
    # What starts containers on the node of the first, whether that has IPv6 alone, and by how many pods its GPUs are
    # shared in turn.
    runtime: str = ""
    system: str = ""
    is_of_ipv6: bool = False
    shared_by: int = 1
    # The platform of that node, where that has a way of its own to the driver.
    platform: str = ""
    # The pod of DCGM's own engine that runs on its node, which it does not reach.
    engine: str = ""
    # Why what makes a pod's further networks does not come to that node, where the pod asks for some and has none.
    no_networks: str = ""
    # What has its volume on another node, where one node alone may have it.
    volume: HeldVolume | None = None

    @property
    def first(self) -> ClusterPod:
        return self.pods[0]

    @property
    def place(self) -> Place:
        if len(self.pods) > 1 and self.first.daemonset:
            return Place(object=f"DaemonSet/{self.first.namespace}/{self.first.daemonset}")
        return self.first.place


def unsettled_pods(
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
        if pod.ready and not pod.part:
            continue  # as nearly all of them are
        fault = (_of_stack(pod, said, now) or _refused(pod, logs)) if pod.part else _of_user(pod, said, claimed)
        if not fault and not pod.part and not pod.uses_gpus and pod.node in with_gpus:
            fault = _of_node(pod, said)
        if fault:
            alike[pod.namespace, pod.daemonset or pod.name, fault].append(pod)
    for (_, _, fault), some in alike.items():
        some.sort(key=lambda each: each.name)
        words = (_words_of(each, said, logs) for each in some)
        yield UnsettledPods(tuple(some), fault, next(filter(None, words), ""))


def with_its_node(found: UnsettledPods, nodes: Mapping[str, NodeGpus], pods: Iterable[ClusterPod]) -> UnsettledPods:
    """Adds what its node tells of it: that it has no GPU of NVIDIA's, or where its driver comes from."""
    part, node = found.first.part, nodes.get(found.first.node)
    if node is not None:
        found = replace(
            found,
            runtime=node.starts_containers,
            system=node.system,
            platform=node.platform,
            is_of_ipv6=node.is_of_ipv6,
            shared_by=node.shared_by,
        )
    if part == DRA_DRIVER:
        drivers = {pod.node for pod in pods if pod.part == _DRIVER and pod.ready}
        return replace(found, beside_driver=found.first.node in drivers)
    if part == _DCGM:
        beside = (pod for pod in pods if pod.part == _DCGM and pod.node == found.first.node and pod.ready)
        engine = next((pod.name for pod in beside if "exporter" not in pod.name and not pod.on_host_network), "")
        found = replace(found, engine=engine)
    kind = node.instance_type if node is not None and part in _NEED_A_GPU and not node.has_gpus else ""
    return replace(found, on_no_gpu=kind) if exists(kind) and not has_gpus(kind) else found


def failed_by_their_own_words(pods: Iterable[ClusterPod], users: Mapping[str, str]) -> Iterator[UnsettledPods]:
    """Finds the users' pods that say themselves what their node owes them: one for each maker and each word."""
    alike: dict[tuple[str, ...], list[ClusterPod]] = defaultdict(list)
    for pod in pods if users else ():
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


def without_victims(
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
            absent = why_absent(part, nodes.get(each.first.node), daemonsets)
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


def _of_stack(pod: ClusterPod, said: Mapping[str, str], now: datetime | None) -> str:
    if pod.is_over or pod.ready or pod.unplaced:
        return ""
    if pod.fault and (pod.restarts or pod.fault in _OF_THE_PLATFORM):
        return pod.fault
    if not has_lasted(moment(pod.since), now, _STARTS):
        return ""
    if pod.waits_for_its_sandbox and pod.object in said:
        return NO_SANDBOX
    return pod.fault or "not ready"


def _refused(pod: ClusterPod, logs: Mapping[str, str]) -> str:
    """An operator that runs on, though the API server refuses it what it works by; or who speaks of others."""
    if not pod.ready or pod.object not in logs:
        return ""
    return REFUSED if pod.part == OPERATOR else SPEAKS if pod.part in speakers() else ""


def claims_of_nvidias(said: Mapping[str, str]) -> frozenset[str]:
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


def silent_pods(pods: Collection[ClusterPod], now: datetime | None, told: Collection[str]) -> Iterator[ClusterPod]:
    """Users' pods with GPUs on a node that no kubelet has started for so long that what it said is forgotten. Where a
    DaemonSet's pod on that node waits for another one itself, as the toolkit does for the driver, they wait for it."""
    unsettled = {pod.node for pod in pods if pod.waits_in and (pod.part or pod.daemonset)}
    for pod in (each for each in pods if each.node not in unsettled):
        waits = pod.waits_for_its_sandbox and not pod.part and not pod.waits_in and not pod.never_started
        if not waits or not pod.uses_gpus or pod.object in told:
            continue
        if has_lasted(moment(pod.since or pod.started), now, _IS_FORGOTTEN):
            yield pod


def is_killed_in_its_init(pod: ClusterPod) -> bool:
    """Whether the kernel kills what an operator put before the pod's program, at a limit that is not the pod's own."""
    return pod.last_words == OUT_OF_MEMORY and bool(why_it_is_killed(pod.fails_in)[0])


def _claims_gpus(pod: ClusterPod, said: Mapping[str, str]) -> bool:
    """Whether it asks for GPUs by a claim. Its resources say nothing of that, but kubelet names the driver that it asks
    for the device, or passes on what that driver alone says."""
    if any(each in pod.last_words for each in _MADE_FOR_CLAIMS):
        return True
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
    """Where NVIDIA's runtime is the default one, what is wrong with it starts no pod of the node, the CNI's neither. So
    it is without the image that each sandbox is made of."""
    fault = "" if pod.ready else _of_the_platform(pod, said)
    words = pod.last_words or said.get(pod.object, "")
    return fault if fault and any(map(_is_of_the_runtime, in_text(words))) else ""


def _is_refused(words: str) -> bool:
    """Whether NVIDIA's runtime refused the container. Its own program has not run, so the fault is the node's, or lies
    between the two: its image asks for more CUDA than the node's driver has."""
    if "nvidia-container" not in words or _REFUSES.search(words) is None:
        return False
    found = (each.evidence for each in in_text(words))
    return any(not each.is_symptom and link_of_evidence(each.id, each.layer) in _OF_A_REFUSAL for each in found)


def _got_no_runtime(pod: ClusterPod) -> bool:
    """Whether a container that asks for GPUs could not start for want of what NVIDIA's runtime puts into it."""
    if not pod.uses_gpus or _REFUSES.search(pod.last_words) is None:
        return False
    return any(each.evidence.id == _WITHOUT_TOOLS for each in in_text(pod.last_words))


def _is_of_the_runtime(found: EvidenceMatch) -> bool:
    """Whether this is about NVIDIA's runtime, or about all pods: a node may have other runtimes, which are not judged
    here."""
    evidence = found.evidence
    of_it = not evidence.is_symptom and link_of_evidence(evidence.id, evidence.layer) in _RUNTIME
    return evidence.id == _FOR_EACH_POD or (of_it and "nvidia" in found.itself.lower())
