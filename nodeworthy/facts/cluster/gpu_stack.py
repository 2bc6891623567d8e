"""The stack that makes GPUs usable in a cluster, and the pods that need it: what of them has not come to rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.facts.cluster.elapsed import has_just_begun
from nodeworthy.facts.cluster.held_upgrades import STATE, HeldUpgrade
from nodeworthy.facts.cluster.lingering_pods import lingering_pods
from nodeworthy.facts.cluster.mig_refused import MigReason
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.stack_daemonset import ShutOut, StackDaemonSet, shut_out
from nodeworthy.facts.cluster.stuck_objects import StuckObject
from nodeworthy.facts.cluster.unplaced_parts import UnplacedPart
from nodeworthy.facts.cluster.unsettled_pods import (
    UnsettledPods,
    claims_of_nvidias,
    failed_by_their_own_words,
    silent_pods,
    unsettled_pods,
    with_its_node,
    without_victims,
)
from nodeworthy.known.gpu_stack import DRA_DRIVER, brings_gpus
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A node that boots, or whose kubelet starts again, is not ready for a while.
_RECOVERS = timedelta(minutes=5)
UPGRADE = STATE
_WANTED = "nvidia.com/mig.config"
_WANTED_VGPUS = "nvidia.com/vgpu.config"


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
    # Its own pods that no node takes.
    unplaced: tuple[UnplacedPart, ...] = ()
    # Nodes whose driver is not upgraded for a pod that may not go.
    held: tuple[HeldUpgrade, ...] = ()
    # Users' pods that do not start, of which nobody says why.
    silent: tuple[ClusterPod, ...] = ()
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
    lingering: Mapping[str, str],
    refused: Mapping[tuple[str, str], str],
) -> GpuStack:
    """`said` is kubelet's newest word of a pod that it could not make, `logs` what its log says last, by object;
    `refused` what the API server says of pods that it does not let a DaemonSet make."""
    pods, daemonsets = list(pods), list(daemonsets)
    with_gpus = [node for node in nodes.values() if node.has_gpus]
    claimed = claims_of_nvidias(said) if any(each.part == DRA_DRIVER for each in daemonsets) else frozenset()
    named = frozenset(node.name for node in with_gpus)
    leaving = list(lingering_pods(pods, {**said, **lingering}, nodes, now))
    left = {pod.object for each in leaving for pod in each.pods}
    staying = [pod for pod in pods if pod.object not in left] if left else pods
    unsettled = list(unsettled_pods(staying, said, {**logs, **users}, now, with_gpus=named, claimed=claimed))
    told = {*left, *(pod.object for each in unsettled for pod in each.pods)}
    unsettled = [*leaving, *(with_its_node(each, nodes, pods) for each in unsettled)]
    own = failed_by_their_own_words((pod for pod in pods if pod.object not in told), users)
    unsettled += [with_its_node(each, nodes, pods) for each in own]
    # Where the CNI's own pod can't start, the node has no network for that.
    without_cni = {pod.node for each in unsettled for pod in each.pods if not pod.part and not pod.uses_gpus}
    ailing = (node for node in with_gpus if node.name not in without_cni or not node.ails_without_network)
    return GpuStack(
        without_victims(unsettled, daemonsets, nodes),
        tuple(
            each for daemonset in daemonsets if brings_gpus(daemonset.part) for each in shut_out(daemonset, with_gpus)
        ),
        tuple(FailedMig(node) for node in with_gpus if node.is_not_cut),
        _upgrade(with_gpus),
        tuple(_unmade(pods, daemonsets, refused, with_gpus)),
        silent=tuple(silent_pods(pods, now, {*told, *said})),
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


def _upgrade(nodes: Sequence[NodeGpus]) -> FailedUpgrade | None:
    failed = tuple(node for node in nodes if node.labels.get(UPGRADE) == "upgrade-failed")
    behind = tuple(node for node in nodes if node.labels.get(UPGRADE) == "upgrade-required")
    return FailedUpgrade(failed, behind) if failed else None
