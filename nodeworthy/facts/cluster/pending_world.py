"""What a cluster has for pods that wait: which nodes they may run on, what is free there, who holds the rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.bound_volumes import BoundVolumesSeen
from nodeworthy.facts.cluster.elapsed import has_just_begun
from nodeworthy.facts.cluster.network_devices import NetworkDevicesSeen
from nodeworthy.facts.cluster.node import GPU
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.offered_gpus import UnofferedGpus
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import SchedulingEvents
from nodeworthy.facts.fleet.node_size import NodeSize
from nodeworthy.facts.hami.waiting import OfHami
from nodeworthy.facts.pod.node_choice import NodeChoice
from nodeworthy.records import dataclass, field

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.pod import ClusterPod
    from nodeworthy.facts.cluster.stack_daemonset import StackDaemonSet


@dataclass(frozen=True)
class PendingWorld:
    nodes: Mapping[str, NodeGpus]
    held: Mapping[str, Sequence[AskingPod]]
    events: SchedulingEvents
    sizes: Sequence[NodeSize]
    now: datetime | None
    # Held by verification that yields to nobody: node and resource to a number.
    by_verification: Mapping[tuple[str, str], int] = field(default_factory=dict)
    hami: OfHami = field(default_factory=OfHami)
    unoffered: UnofferedGpus = field(default_factory=UnofferedGpus)
    # Why a word of the scheduler may be missing; None where all events were read.
    silent: str | None = None
    # Nodes of which another rule says why their GPUs are not offered.
    blamed: frozenset[str] = frozenset()
    # Device plugins that choose none of these nodes.
    placeless: Sequence[StackDaemonSet] = ()
    # What offers devices that are no GPUs.
    bringers: Sequence[StackDaemonSet] = ()
    # What each of them says in its log, where that is known; and all devices that nodes offer.
    bringers_say: Mapping[str, str] = field(default_factory=dict)
    offered: frozenset[str] = frozenset()
    # A device plugin on a node that offers none, and its words, where they are known; one that is understood first.
    telling_plugin: tuple[ClusterPod, str] | None = None
    # What feature discovery says that keeps it from labelling nodes.
    unlabelled: str = ""
    # An object of Karpenter's says why no node comes.
    starts_no_nodes: bool = False
    # Nodes whose GPUs a DRA driver hands out, by claims.
    by_claims: Sequence[str] = ()
    # What starts nodes says last in its log of one that it could not start.
    starters_say: str = ""
    # The device plugins' DaemonSets; what should take startup taints from nodes with GPUs and does not run there, by
    # the taints' keys; schedulers that do not run, by their names: each with what it says in its log.
    plugins: Sequence[StackDaemonSet] = ()
    clearing: Mapping[str, tuple[ClusterPod, str]] = field(default_factory=dict)
    schedulers: Mapping[str, tuple[ClusterPod, str]] = field(default_factory=dict)
    # Kueue lets pods in by quotas, which know no nodes.
    has_quotas: bool = False
    # Second networks, and the devices that they take; claims on volumes, and where these lie.
    networks: NetworkDevicesSeen = field(default_factory=NetworkDevicesSeen)
    volumes: BoundVolumesSeen = field(default_factory=BoundVolumesSeen)
    pods: Collection[ClusterPod] = ()
    _chosen: dict[tuple[str, str], list[NodeGpus]] = field(default_factory=dict)
    _by_label: dict[str, dict[str, list[NodeGpus]]] = field(default_factory=dict)

    @cached_property
    def resources(self) -> frozenset[str]:
        """The resources that nodes offer."""
        return frozenset(name for node in self.nodes.values() for name, amount in node.capacity.items() if amount)

    @cached_property
    def taken(self) -> Mapping[tuple[str, str], int]:
        """How many of a resource are held on a node."""
        found: Counter[tuple[str, str]] = Counter()
        for node, pods in self.held.items():
            for each in pods:
                for resource, amount in each.amounts.items():
                    found[node, resource] += amount
        return found

    def free(self, node: NodeGpus, resource: str) -> int:
        return max(node.allocatable.get(resource, 0) - self.taken.get((node.name, resource), 0), 0)

    def words(self, pod: AskingPod) -> str:
        """What its scheduler says, in the newest words."""
        told = self.events.unplaced.get((pod.namespace, pod.name))
        return told[1] if told is not None and told[1] and pod.is_meant_by(told[0]) else pod.unplaced

    def said_of_group(self, pod: AskingPod) -> str:
        """What is said of a pod's group: the newest words that are about more than its not being whole."""
        told = self.events.groups.get((pod.namespace, pod.group), ("", "")) if pod.group else ("", "")
        return told[1] if pod.is_meant_by(told[0]) else ""

    def words_of_hami(self, pod: AskingPod) -> list[str]:
        told = self.events.of_hami.get((pod.namespace, pod.name), ())
        return [words for when, words in told if pod.is_meant_by(when)]

    def not_growing(self, pods: Iterable[AskingPod]) -> str:
        """Why no node comes for them, where whoever starts nodes says so."""
        pods = list(pods)
        said = ((each, self.events.not_growing.get((each.namespace, each.name))) for each in pods)
        told = next((told[1] for pod, told in said if told is not None and pod.is_meant_by(told[0])), "")
        return told or next(filter(None, map(self._short, pods)), "")

    def has_node_in_view(self, pod: AskingPod, comes: timedelta) -> bool:
        """Whether Karpenter has lately found a node for it, which the cloud has not refused."""
        found = self.events.nominated.get((pod.namespace, pod.name))
        if found is None or self._short(pod):
            return False
        since = moment(found.since if pod.is_meant_by(found.since) else found.last)
        return has_just_begun(since, self.now, comes)

    def in_vain(self, pods: Iterable[AskingPod]) -> str:
        """The words for nodes that Karpenter has had in view for these pods and that have not come."""
        for pod in pods:
            found = self.events.nominated.get((pod.namespace, pod.name))
            if found is not None and found.claims and pod.is_meant_by(found.last):
                claim = f"nodeclaim {found.claims[-1]}"
                return f"karpenter has had a node in view for them since {found.since} ({claim}), and it has not come"
        return ""

    def _short(self, pod: AskingPod) -> str:
        """What is said of a machine for it that the cloud has not."""
        found = self.events.nominated.get((pod.namespace, pod.name))
        claims = found.claims if found is not None and pod.is_meant_by(found.last) else ()
        said = next((self.events.short[each][1] for each in reversed(claims) if each in self.events.short), "")
        return f"karpenter starts no node for them: {said}" if said else ""

    def has_room(self, choice: NodeChoice, node: NodeGpus, resource: str, amount: int) -> bool:
        return node.is_ready and not choice.kept_away(node) and self.free(node, resource) >= amount

    def without_verification(self, node: NodeGpus, resource: str) -> int:
        return self.free(node, resource) + self.by_verification.get((node.name, resource), 0)

    def offering(self, resource: str) -> list[NodeGpus]:
        return [node for node in self.nodes.values() if node.capacity.get(resource)]

    def chosen(self, choice: NodeChoice, resource: str) -> list[NodeGpus]:
        """The nodes with this resource that a pod chooses."""
        key = (choice.written, resource)
        if key not in self._chosen:
            nodes = self._candidates(choice)
            found = [each for each in nodes if each.capacity.get(resource) and choice.takes(each.labels, each.name)]
            self._chosen[key] = found
        return self._chosen[key]

    def _candidates(self, choice: NodeChoice) -> Iterable[NodeGpus]:
        """The nodes with one label that the choice asks for, so that a thousand pods, each for its own node, are not a
        thousand walks over all nodes."""
        if choice.narrowed is None:
            return self.nodes.values()
        label, values = choice.narrowed
        if not label:
            return [self.nodes[name] for name in dict.fromkeys(values) if name in self.nodes]
        return [node for value in dict.fromkeys(values) for node in self._labelled(label).get(value, ())]

    def _labelled(self, label: str) -> dict[str, list[NodeGpus]]:
        if label not in self._by_label:
            found: dict[str, list[NodeGpus]] = defaultdict(list)
            for node in self.nodes.values():
                if label in node.labels:
                    found[node.labels[label]].append(node)
            self._by_label[label] = found
        return self._by_label[label]

    def starving(self, pod: AskingPod, resource: str, amount: int) -> str | None:
        """A node that would take it if its GPUs were offered; rather one of which it is known why they are not."""
        if resource != GPU or not self.unoffered.nodes:
            return None
        dark = [each.name for each in self._candidates(pod.choice) if each.name in self.unoffered.nodes]
        dark.sort(key=lambda name: name not in self.blamed)
        return next((name for name in dark if self._would_take(pod, name, amount)), None)

    def _would_take(self, pod: AskingPod, name: str, amount: int) -> bool:
        node = self.unoffered.nodes[name]
        fits = (self.unoffered.count(name) or amount) >= amount
        return fits and pod.choice.takes(node.labels, name) and not pod.choice.kept_away(node)

    def holders(self, nodes: Iterable[NodeGpus], resource: str) -> list[AskingPod]:
        return [each for node in nodes for each in self.held.get(node.name, ()) if each.amounts.get(resource)]
