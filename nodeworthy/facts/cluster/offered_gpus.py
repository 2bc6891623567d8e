"""Nodes that have GPUs and offer none of them, and what became of the device plugin that should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.facts.cluster.elapsed import has_just_begun, has_lasted
from nodeworthy.facts.cluster.hanging import why_hanging
from nodeworthy.facts.cluster.node import ClusterNode
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import type_count
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.telling_words import telling_part
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest, Part
from nodeworthy.known.chain import link_of_part, links
from nodeworthy.known.gpu_stack import OPERATOR, serves_others
from nodeworthy.known.operator_parts import DEVICE_PLUGIN, OPERANDS
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
# How long drivers may take to come to a node that has just started, and a plugin to find its GPUs.
_STARTS, _FINDS = timedelta(minutes=15), timedelta(minutes=2)
# What the operator calls nodes whose GPUs go to virtual machines.
WORKLOAD, _CONTAINERS = "nvidia.com/gpu.workload.config", "container"


# As known/gpu_stack.toml calls what offers GPUs to virtual machines.
_OF_MACHINES = "the device plugin for virtual machines"


def is_for_machines(node: NodeGpus) -> bool:
    """Whether the operator was told to hand its GPUs to virtual machines."""
    return node.labels.get(WORKLOAD, "").startswith("vm-")


@dataclass(frozen=True)
class SilentPlugin:
    """Nodes whose GPUs nobody offers, for the same reason: their device plugin's pods fare alike."""

    nodes: tuple[NodeGpus, ...]
    pods: tuple[ClusterPod, ...]
    # Others on these nodes, of its namespace, that do not run either.
    beside: tuple[ClusterPod, ...]
    waiting: tuple[str, ...] = ()
    # What its log, or that of what should run before it, says last.
    words: str = ""
    # Why one of its own containers does not start or end, and what to do.
    hangs: tuple[str, str] = ("", "")

    @property
    def place(self) -> Place:
        first = self.pods[0]
        return Place(object=f"DaemonSet/{first.namespace}/{first.daemonset}") if first.daemonset else first.place

    @property
    def runs(self) -> bool:
        return self.pods[0].ready

    @property
    def fares(self) -> str:
        return fares(self.pods)


@dataclass(frozen=True)
class OfferedGpus:
    called: ClassVar[str] = "a cluster whose nodes offer their GPUs"

    silent: tuple[SilentPlugin, ...]
    # Those on which no device plugin runs; the device plugins that run elsewhere; who waits for them.
    bare: tuple[NodeGpus, ...]
    # Those of them whose image should bring one.
    with_own_plugin: frozenset[str]
    plugins: tuple[DaemonSetManifest, ...]
    waiting: tuple[str, ...] = ()
    # The operator's own pod, where there is one.
    operator: ClusterPod | None = None

    @property
    def place(self) -> Place:
        return Place(subject="nodes")


@dataclass(frozen=True)
class UnofferedGpus:
    """The nodes, the pods of device plugins on each, and what else of their namespace does not run there."""

    nodes: Mapping[str, NodeGpus] = field(default_factory=dict)
    plugins_on: Mapping[str, Sequence[ClusterPod]] = field(default_factory=dict)
    beside: Mapping[str, Sequence[ClusterPod]] = field(default_factory=dict)
    # What their logs say last, by object.
    words: Mapping[str, str] = field(default_factory=dict)
    # The nodes whose image runs a device plugin itself.
    with_own_plugin: frozenset[str] = frozenset()
    operator: ClusterPod | None = None
    # Why an init container does not end, and what to do, by the pod's object.
    hangs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # No DaemonSet of the cluster is a device plugin.
    without_plugin: bool = False

    def count(self, name: str) -> int | None:
        """How many GPUs it has, where anybody says."""
        return type_count(self.nodes[name].labels)


def unoffered_gpus(
    nodes: Collection[ClusterNode],
    gpus: Mapping[str, NodeGpus],
    pods: Collection[ClusterPod],
    plugins: Mapping[Key, DaemonSetManifest],
    now: datetime | None,
    *,
    words: Mapping[str, str],
) -> UnofferedGpus:
    machines = {pod.node for pod in pods if pod.part == _OF_MACHINES}
    own = [node.name for node in nodes if node.brings_its_plugin]
    dark = {
        node.name: gpus[node.name]
        for node in nodes
        if node.is_gpu and node.name not in machines and _offers_none(gpus[node.name], now)
    }
    on: dict[str, list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        plugin = plugins.get((pod.namespace, pod.daemonset)) if pod.node in dark and pod.daemonset else None
        if plugin is not None and plugin.part is Part.DEVICE_PLUGIN and not pod.is_over:
            on[pod.node].append(pod)
    kept = {name: node for name, node in dark.items() if not _is_well(node, on.get(name, ()), now)}
    beside = _faulty(pods, {name: on.get(name, []) for name in kept}, now)
    operator = next((pod for pod in pods if pod.part == OPERATOR and not pod.daemonset and not pod.is_over), None)
    none = not any(each.part is Part.DEVICE_PLUGIN for each in plugins.values())
    hangs = {pod.object: why_hanging(pod) for each in on.values() for pod in each if _waits_long(pod, now)}
    return UnofferedGpus(kept, on, beside, words, frozenset(own) & kept.keys(), operator, hangs, none)


def _waits_long(pod: ClusterPod, now: datetime | None) -> bool:
    since = pod.waits_since or (pod.started if pod.never_started else "")
    return not pod.ready and has_lasted(moment(since), now, _STARTS)


def _offers_none(node: NodeGpus, now: datetime | None) -> bool:
    if not node.is_ready or any(node.allocatable.values()) or node.labels.get("kubernetes.io/os") == "windows":
        return False
    labels = node.labels
    if labels.get(WORKLOAD, _CONTAINERS) != _CONTAINERS or labels.get(OPERANDS) == "false":
        return False
    # Left out, or put off while its GPUs are cut anew or its driver is changed; an empty label is neither.
    if (labels.get(DEVICE_PLUGIN) or "true") != "true":
        return False
    return not has_just_begun(node.ready_since, now, _STARTS)


def _is_well(node: NodeGpus, plugins: Sequence[ClusterPod], now: datetime | None) -> bool:
    """What it once registered and took back is unhealthy, which is told otherwise; and it may only just have come."""
    if any(pod.ready for pod in plugins):
        since = min((when for pod in plugins if (when := moment(pod.since))), default=None)
        return any(node.capacity.values()) or has_just_begun(since, now, _FINDS)
    return any(node.capacity.values()) and not plugins


def offered_gpus(
    found: UnofferedGpus,
    plugins: Mapping[Key, DaemonSetManifest],
    elsewhere: Collection[str],
    waiting: Mapping[str, Sequence[str]],
) -> OfferedGpus:
    """The GPUs that nodes should offer, without the nodes of which another rule says why; `waiting` are the pods that
    each node would take."""
    nodes = {name: node for name, node in found.nodes.items() if name not in elsewhere}
    on_none = [node for name, node in sorted(nodes.items()) if not found.plugins_on.get(name)]
    # What fails before a plugin's turn comes is told by itself.
    bare = tuple(node for node in on_none if not found.beside.get(node.name))
    served = {name: found.plugins_on[name] for name in sorted(nodes) if found.plugins_on.get(name)}
    return OfferedGpus(
        tuple(_silent(served, nodes, found, waiting)),
        bare,
        found.with_own_plugin,
        tuple(each for each in plugins.values() if each.part is Part.DEVICE_PLUGIN),
        _pods_waiting_for(bare, waiting),
        found.operator,
    )


def _faulty(
    pods: Iterable[ClusterPod], served: Mapping[str, Sequence[ClusterPod]], now: datetime | None
) -> Mapping[str, list[ClusterPod]]:
    found: dict[str, list[ClusterPod]] = defaultdict(list)
    for pod in pods:
        own = served.get(pod.node)
        if own is None or pod.ready or pod in own or not (pod.fault or _hangs(pod, own, now)):
            continue
        is_before_it = bool(pod.part) and pod.part not in serves_others()
        if any(pod.namespace == each.namespace for each in own) or (is_before_it and not own):
            found[pod.node].append(pod)
    return found


def _hangs(pod: ClusterPod, own: Sequence[ClusterPod], now: datetime | None) -> bool:
    """Whether a pod that should run before a plugin comes has no fault of its own, and does not start."""
    return not own and not pod.is_over and has_lasted(moment(pod.since), now, _STARTS)


def _silent(
    served: Mapping[str, Sequence[ClusterPod]],
    nodes: Mapping[str, NodeGpus],
    found: UnofferedGpus,
    waiting: Mapping[str, Sequence[str]],
) -> Iterator[SilentPlugin]:
    together: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, own in served.items():
        first = own[0]
        others = sorted({each.daemonset or each.name for each in found.beside.get(name, ())})
        together[first.namespace, first.daemonset, str(first.ready), first.fault, *others].append(name)
    for names in together.values():
        alike = tuple(nodes[name] for name in names)
        own_pods = tuple(served[name][0] for name in names)
        near = tuple(pod for name in names for pod in found.beside.get(name, ()))
        words = (pod.last_words or found.words.get(pod.object, "") for pod in near[:1] or own_pods)
        said, hangs = next(filter(None, words), ""), found.hangs.get(own_pods[0].object, ("", ""))
        yield SilentPlugin(alike, own_pods, near, _pods_waiting_for(alike, waiting), said, hangs)


def _pods_waiting_for(nodes: Iterable[NodeGpus], waiting: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for node in nodes for name in waiting.get(node.name, ())}))


OWN_PLUGIN_IS_SILENT = (
    "Bottlerocket's image for NVIDIA runs a device plugin itself, as a service of the host, and that one has not "
    "registered with kubelet: it started before kubelet's socket was there, or found no GPU"
)
RESTART_OWN_PLUGIN = (
    "on the node, in the admin container: sheltie systemctl status nvidia-k8s-device-plugin, then restart it; or "
    "replace the node"
)


def first_link(beside: Iterable[ClusterPod]) -> str:
    """What does not run beside a plugin comes before it: the plugin waits for that."""
    found = {link_of_part(pod.part) for pod in beside if pod.part and not pod.ready}
    return next((link.id for link in links() if link.id in found), "plugin")


def first_missing(beside: Iterable[ClusterPod]) -> ClusterPod | None:
    """Returns what a plugin that runs can't find its GPUs without: a part before it that does not run."""
    order = [link.id for link in links()]
    before = [(order.index(link), pod) for pod in beside if (link := link_of_part(pod.part)) and not pod.ready]
    first = min(before, key=lambda each: each[0], default=None)
    return first[1] if first is not None and first[0] < order.index("labels") else None


def fares(pods: Sequence[ClusterPod]) -> str:
    """How the first of them fares, and how many more do."""
    first = pods[0]
    state = "runs" if first.ready else f"is in {first.fault}" if first.fault else "is not ready: it waits to start"
    restarts = f" after {first.restarts} restarts" if first.restarts else ""
    more = f", and {len(pods) - 1} more like it" if len(pods) > 1 else ""
    words = telling_part(first.last_words)
    return f"{first.name} {state}{restarts}{more}" + (f", and says: {words}" if words else "")
