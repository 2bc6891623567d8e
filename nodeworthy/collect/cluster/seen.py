"""What was seen of a cluster. Each object is reduced at once to what rules ask of it: a dump may be large."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from sys import intern
from typing import Any, TypeVar

from nodeworthy.collect.cluster import hami_seen
from nodeworthy.collect.cluster.capacity_seen import CapacitySeen
from nodeworthy.collect.cluster.kinds import (
    ASKERS,
    CONFIG_MAPS,
    DAEMONSETS,
    DEPLOYMENTS,
    DEVICE_CLASSES,
    DISRUPTION_BUDGETS,
    EVENTS,
    INFERENCE_POOLS,
    JOBS,
    KEPT_WHOLE,
    NAMESPACES,
    NODES,
    OF_CLAIMS,
    PODS,
    RAY_CLUSTERS,
    RESOURCE_CLAIMS,
    STATEFUL_SETS,
    ObjectKind,
)
from nodeworthy.collect.cluster.pod_logs import WantedLog, WantedLogs
from nodeworthy.collect.cluster.pods import GpuPods
from nodeworthy.collect.cluster.sightings import Sightings
from nodeworthy.collect.cluster.stack_seen import StackSeen
from nodeworthy.collect.objects import facts_of
from nodeworthy.documents.plain import strings_at, text_at
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.cluster.bound_volumes import BoundVolumesSeen
from nodeworthy.facts.cluster.choosers import ChoosersSeen
from nodeworthy.facts.cluster.claimed_devices import ClaimedDevices
from nodeworthy.facts.cluster.kai_queues import KaiSeen
from nodeworthy.facts.cluster.kueue_queues import KueueSeen
from nodeworthy.facts.cluster.live_pod import concerns_gpus
from nodeworthy.facts.cluster.meeting_points import MeetingPointsSeen
from nodeworthy.facts.cluster.network_devices import NetworkDevicesSeen
from nodeworthy.facts.cluster.node import ClusterNode, cluster_node
from nodeworthy.facts.cluster.pod import ClusterPod, cluster_pod
from nodeworthy.facts.cluster.references import References
from nodeworthy.facts.cluster.sandbox_failure import SandboxFailure, sandbox_failure
from nodeworthy.facts.cluster.shared_claims import SharedClaimsSeen
from nodeworthy.facts.cluster.unanswered_services import AskersSeen
from nodeworthy.facts.cluster.volcano_queues import VolcanoSeen
from nodeworthy.facts.cluster.volume_claims import VolumeClaimsSeen
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.operator.driver_daemonset import DriverDaemonSet, driver_daemonset
from nodeworthy.facts.operator.recognition import release_of_deployment
from nodeworthy.facts.operator.toolkit_daemonset import ToolkitDaemonSet, is_toolkit_daemonset
from nodeworthy.known.gpu_stack import DRA_DRIVER
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# By their names: whether two kinds are one is asked of all that they say, and here of each pod.
_MAKERS = frozenset((JOBS.kind, STATEFUL_SETS.kind, DEPLOYMENTS.kind))
Key = tuple[str, str]
T = TypeVar("T")


@dataclass
class ClusterObjects:
    """Objects by namespace and name: one that was found twice counts once, the newer wins."""

    # Only this namespace was asked for.
    namespace: str | None = None
    nodes: dict[Key, ClusterNode] = field(default_factory=dict)
    pods: dict[Key, ClusterPod] = field(default_factory=dict)
    failures: dict[Key, SandboxFailure] = field(default_factory=dict)
    toolkits: dict[Key, ToolkitDaemonSet] = field(default_factory=dict)
    # The releases of the operator that run, with where each is said.
    releases: list[tuple[str, Place]] = field(default_factory=list)
    # What brings a driver to nodes.
    drivers: dict[Key, DriverDaemonSet] = field(default_factory=dict)
    # Device plugins and exporters.
    gpu_daemonsets: dict[Key, DaemonSetManifest] = field(default_factory=dict)
    gpu_annotations: dict[Key, Mapping[str, str]] = field(default_factory=dict)
    # A driver of dynamic resources hands out devices to whoever claims them.
    claims_devices: bool = False
    claimed: ClaimedDevices = field(default_factory=ClaimedDevices)
    gpu_pods: GpuPods = field(default_factory=GpuPods)
    capacity: CapacitySeen = field(default_factory=CapacitySeen)
    sighted: Sightings = field(default_factory=Sightings)
    stack: StackSeen = field(default_factory=StackSeen)
    documents: dict[ObjectKind, dict[Key, Tree]] = field(default_factory=lambda: {each: {} for each in KEPT_WHOLE})
    hami: hami_seen.HamiSeen = field(default_factory=hami_seen.HamiSeen)
    references: References = field(default_factory=References)
    choosers: ChoosersSeen = field(default_factory=ChoosersSeen)
    askers: AskersSeen = field(default_factory=AskersSeen)
    volumes: VolumeClaimsSeen = field(default_factory=VolumeClaimsSeen)
    bound: BoundVolumesSeen = field(default_factory=BoundVolumesSeen)
    kai: KaiSeen = field(default_factory=KaiSeen)
    kueue: KueueSeen = field(default_factory=KueueSeen)
    volcano: VolcanoSeen = field(default_factory=VolcanoSeen)
    shared: SharedClaimsSeen = field(default_factory=SharedClaimsSeen)
    met: MeetingPointsSeen = field(default_factory=MeetingPointsSeen)
    pools_of_models: dict[Key, Mapping[str, Any]] = field(default_factory=dict)
    networks: NetworkDevicesSeen = field(default_factory=NetworkDevicesSeen)
    kinds: set[str] = field(default_factory=set)
    # It was written down by ourselves, each kind whole.
    is_recorded: bool = False
    # Kinds of which a list was read, and not only objects that somebody has picked; and in which namespaces were those
    # who stood beside it in one file: of all of them where it is none, or more than one.
    listed: set[str] = field(default_factory=set)
    spans: dict[str, list[frozenset[str]]] = field(default_factory=dict)
    # Of kinds of which only what has a label is asked for: those of which others are here, too.
    unlabelled: set[str] = field(default_factory=set)
    # Kinds that could not be had, and why; and those of which only a part could be read.
    refused: dict[str, str] = field(default_factory=dict)
    cut: dict[str, str] = field(default_factory=dict)
    unreadable: list[UnreadableInput] = field(default_factory=list)
    # The last words in the logs of the toolkit's pods, by object.
    words: dict[str, str] = field(default_factory=dict)
    # What parts say in their logs that are ready all the same, by object.
    words_while_ready: dict[str, str] = field(default_factory=dict)
    # What pods with GPUs say in theirs that is their node's doing, by object.
    words_of_users: dict[str, str] = field(default_factory=dict)
    # What the DRA driver says of pods that were deleted and have not gone, by object.
    words_of_lingering: dict[str, str] = field(default_factory=dict)
    # What starts nodes says in its log of one that it could not start, by object; and last of any.
    words_of_starters: dict[str, str] = field(default_factory=dict)
    starters_say: str = ""
    # Why the log of a pod was not had, by object.
    no_logs: dict[str, str] = field(default_factory=dict)
    logs: WantedLogs = field(default_factory=WantedLogs)
    objects: int = 0
    _versions: defaultdict[str, dict[Key, int]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, kind: ObjectKind, data: Mapping[str, Any]) -> None:
        key = (intern(text_at(data, "metadata", "namespace")), text_at(data, "metadata", "name"))
        self.kinds.add(kind.key)
        if self.namespace and kind.namespaced and key[0] != self.namespace:
            return
        if self._is_older(kind, key, data):
            return
        self.objects += 1
        if kind.labelled and kind.labelled.split()[0] not in strings_at(data, "metadata", "labels"):
            self.unlabelled.add(kind.key)
        if kind.kind in _MAKERS:
            self.stack.add_maker(kind.kind, key, data)
        elif kind is RAY_CLUSTERS:
            self.stack.add_ray_cluster(key, data)
        self.references.add(kind.known_as, key, data)
        self.choosers.add(kind.known_as, key, data)
        self.volumes.add(kind.kind, key, data)
        self.bound.add(kind.kind, key, data)
        self.kueue.add(kind.kind, key, data)
        self.volcano.add(kind.known_as, key, data)
        self.shared.add(kind.kind, key, data)
        self.networks.add(kind.kind, key, data)
        self._keep(kind, key, data)

    def add_list(self, kinds: Iterable[str], namespaces: Collection[str] = ()) -> None:
        """Notes that of these kinds all was listed that these namespaces have."""
        for each in kinds:
            self.listed.add(each)
            self.spans.setdefault(each, []).append(frozenset(namespaces))

    def _is_older(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> bool:
        """Whether this object is here already, and no older."""
        written = text_at(data, "metadata", "resourceVersion")
        version = int(written) if written.isdecimal() and len(written) < 20 else 0
        versions = self._versions[kind.key]
        before = versions.get(key)
        if before is None or version > before:
            versions[key] = version
            self.objects -= before is not None
            return False
        return True

    def _keep(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        if kind is NODES:
            self.nodes[key] = cluster_node(data)
            self.capacity.add_node(data)
        elif kind is INFERENCE_POOLS:
            self.pools_of_models[key] = data
        elif kind is PODS:
            self.pods[key] = cluster_pod(data)
            self.kai.add_pod(key, data)
            if self.pods[key].wants_gpus and not self.pods[key].is_over:
                self.met.add_pod(key, data)
            self.claims_devices = self.claims_devices or self.pods[key].part == DRA_DRIVER
            self.logs.add_pod(key, data, self.pods[key])
            concerns = concerns_gpus(data)
            self.gpu_pods.add_pod(key, data, concerns=concerns)
            self.capacity.add_pod(key, data, may_ask=concerns)
            self.hami.add_pod(key, data, wants_gpus=self.pods[key].wants_gpus)
        elif kind is EVENTS:
            self.gpu_pods.add_event(data)
            self.sighted.add_event(key, data)
            self.capacity.add_event(data)
            self.stack.add_event(data)
            failure = sandbox_failure(data)
            if failure is not None:
                self.failures[key] = failure
        elif kind is DAEMONSETS:
            self._keep_daemonset(key, data)
        elif kind is JOBS:
            self.gpu_pods.add_job(key, data)
        else:
            self._keep_of_others(kind, key, data)

    def _keep_of_others(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        if kind in OF_CLAIMS:
            self._keep_of_claims(kind, key, data)
        elif kind is DISRUPTION_BUDGETS:
            self.stack.add_budget(key, data)
        elif kind in KEPT_WHOLE:
            self.documents[kind][key] = kind.document(data)
        elif kind in hami_seen.KINDS:
            self._keep_of_hami(kind, key, data)
        if kind in ASKERS:
            self.askers.add(kind.kind, key[1], data)

    def add_pods_of(self, part: ClusterObjects) -> None:
        """Adds the pods of a part of a dump that holds nothing else, and none of those that are here."""
        self.kinds |= part.kinds
        self.references.add_all(part.references)
        self.networks.add_all(part.networks)
        self.shared.add_all(part.shared)
        self.kai.versions.update(part.kai.versions)
        self.met.add_all(part.met)
        self.objects += part.objects
        self._versions[PODS.plural].update(part._versions[PODS.plural])
        self.pods.update(part.pods)
        self.claims_devices = self.claims_devices or part.claims_devices
        self.logs.add_all(part.logs)
        self.gpu_pods.add_pods_of(part.gpu_pods)
        self.capacity.add_pods_of(part.capacity)
        self.hami.add_pods_of(part.hami)

    def _keep_of_hami(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        """Keeps what HAMi is told by, of which others know more, too."""
        self.hami.add(kind, key, data)
        self._keep_release(kind, data)
        if kind is CONFIG_MAPS:
            self.stack.add_config_map(key, data)
        elif kind is NAMESPACES:
            self.stack.add_namespace(key[1], data)

    def _keep_daemonset(self, key: Key, data: Mapping[str, Any]) -> None:
        self.hami.add_maker(DAEMONSETS, key, data)
        self.stack.add_daemonset(key, data)
        self.claims_devices = self.claims_devices or "dra-driver" in key[1]
        document = DAEMONSETS.document(data)
        if is_toolkit_daemonset(document):
            self.toolkits[key] = ToolkitDaemonSet(document)
            return
        driver = driver_daemonset(document)
        if driver is not None:
            self.drivers[key] = driver
        found = next(_facts_in(document, DaemonSetManifest), None)
        if found is not None:
            self.gpu_daemonsets[key] = found
            self.gpu_annotations[key] = document.get("metadata", "annotations").texts

    def _keep_of_claims(self, kind: ObjectKind, key: Key, data: Mapping[str, Any]) -> None:
        if kind is RESOURCE_CLAIMS:
            self.claimed.add_claim(key, data)
        elif kind is DEVICE_CLASSES:
            self.claimed.add_class(key[1], data)
        else:
            self.claimed.add_slice(key[1], data)

    def _keep_release(self, kind: ObjectKind, data: Mapping[str, Any]) -> None:
        document = DEPLOYMENTS.document(data)
        release = release_of_deployment(document) if kind is DEPLOYMENTS else None
        if release is not None:
            self.releases.append((release, document.place))

    def read(self, fact: type[T], *kinds: ObjectKind) -> list[T]:
        """What the reader of these kinds makes of their objects."""
        return [each for kind in kinds for tree in self.documents[kind].values() for each in _facts_in(tree, fact)]

    def wanted_logs(self) -> list[WantedLog]:
        toolkits = frozenset((key[0], each.name) for key, each in self.toolkits.items())
        return self.logs.of(self.pods, toolkits, frozenset(self.hami.parts))

    def has(self, kind: ObjectKind) -> bool:
        return kind.key in self.kinds

    def has_all(self, kind: ObjectKind) -> bool:
        """Whether what is not there was not there to be read."""
        return self.has(kind) and kind.key not in self.cut

    def has_list(self, kind: ObjectKind, namespace: str = "") -> bool:
        """Whether all of a kind was listed, so that a name which is not there is nobody's. A list whose objects are of
        one namespace may be all that was asked for."""
        if not self.has_all(kind) or kind.key not in self.listed:
            return False
        if self.is_recorded or not kind.namespaced or not namespace:
            return True
        return any(len(span) != 1 or namespace in span for span in self.spans.get(kind.key, ()))

    def has_every(self, kind: ObjectKind) -> bool:
        """Whether somebody listed all of a kind, whatever labels they have."""
        return not kind.labelled or kind.key in self.unlabelled

    def outlives(self, maker: str) -> bool:
        """Whether what is told of this maker of pods is told of a Job that is gone."""
        kind, _, key = maker.partition("/")
        return kind == JOBS.kind and self.has_all(JOBS) and tuple(key.split("/")) not in self.gpu_pods.bounds

    def why_not_all(self, kind: ObjectKind) -> str | None:
        """Why there may be more of a kind than was read; None where all of them were."""
        if kind.key in self.refused:
            return f"the server refused to list {kind.full_name}: {self.refused[kind.key]}"
        if kind.key in self.cut:
            return self.cut[kind.key]
        return None if self.has(kind) else f"no {kind.full_name} are in what was read"

    def was_kept_away(self, kind: ObjectKind) -> bool:
        """Whether it was looked for in vain: refused or cut off, and not merely left out."""
        return kind.key in self.refused or kind.key in self.cut


def _facts_in(document: Tree, fact: type[T]) -> Iterator[T]:
    return (each for each in facts_of(document) if isinstance(each, fact))
