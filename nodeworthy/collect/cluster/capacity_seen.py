"""Keeps of a cluster what its capacity is judged by: nodes with GPUs, pods that hold or await them, refusals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.admission_refusal import AdmissionRefusal, admission_refusal, merge_refusals
from nodeworthy.facts.cluster.asking_pod import AskingPod, asking_pod, asks_for_gpus
from nodeworthy.facts.cluster.claiming_pods import ClaimingPod, claiming_pod, claims_devices
from nodeworthy.facts.cluster.idle_holders import GpuUsage
from nodeworthy.facts.cluster.node_gpus import NodeGpus, node_gpus
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.scheduling_events import QuotaRefusal, SchedulingEvents, time_of
from nodeworthy.facts.pod.node_choice import NodeChoice
from nodeworthy.records import dataclass, replace

Key = tuple[str, str]
# Nodes may be written down so much later than pods.
_APART = timedelta(minutes=5)


@dataclass
class CapacitySeen:
    nodes: dict[str, NodeGpus] = field(default_factory=dict)
    events: SchedulingEvents = field(default_factory=SchedulingEvents)
    # The devices that some node offers, whatever they are.
    offered: set[str] = field(default_factory=set)
    usage: GpuUsage = field(default_factory=GpuUsage)
    # The newest time that an event or a pod tells, and the newest of a node's heartbeats.
    newest: str = ""
    heard: str = ""
    # The oldest of them all, and of when nodes and pods were made.
    oldest: str = ""
    # Whether any claims devices; and those that wait for what they claim.
    has_claims: bool = False
    claiming: dict[Key, ClaimingPod] = field(default_factory=dict)
    _pods: dict[Key, AskingPod] = field(default_factory=dict)
    _choices: dict[str, NodeChoice] = field(default_factory=dict)
    _refusals: dict[str, AdmissionRefusal] = field(default_factory=dict)

    def add_node(self, data: Mapping[str, Any]) -> None:
        node = node_gpus(data)
        self.nodes[node.name] = node
        offered = mapping_at(data, "status", "allocatable")
        self.offered |= {name for name, amount in offered.items() if "/" in name and amount not in ("0", 0)}
        beats = (text_at(each, "lastHeartbeatTime") for each in mappings_at(data, "status", "conditions"))
        self.heard = max(self.heard, *beats, "")
        self._since(text_at(data, "metadata", "creationTimestamp"), self.heard, *_turned(data))

    def add_pod(self, key: Key, data: Mapping[str, Any], *, may_ask: bool) -> None:
        """Adds a pod; one that concerns no GPUs asks for none."""
        self._pods.pop(key, None)
        self.claiming.pop(key, None)
        created = text_at(data, "metadata", "creationTimestamp")
        self.newest = max(self.newest, created)
        self._since(created, text_at(data, "status", "startTime"), *_turned(data))
        claims = claims_devices(data)
        self.has_claims = self.has_claims or claims
        if may_ask and asks_for_gpus(data):
            self._pods[key] = asking_pod(data, self._choices)
        elif claims and (claiming := claiming_pod(data)) is not None:
            self.claiming[key] = claiming
        elif text_at(data, "status", "phase") == "Failed":
            self._refuse(admission_refusal(data))

    def add_pods_of(self, others: CapacitySeen) -> None:
        self.newest = max(self.newest, others.newest)
        self._since(others.oldest)
        self.has_claims = self.has_claims or others.has_claims
        self.claiming.update(others.claiming)
        for key, pod in others._pods.items():
            pod.choice = self._choices.setdefault(pod.choice.written, pod.choice)
            self._pods[key] = pod
        for each in others._refusals.values():
            self._refuse(each)

    def add_event(self, data: Mapping[str, Any]) -> None:
        self.newest = max(self.newest, time_of(data))
        self._since(time_of(data))
        self.events.add(data)
        self._refuse(admission_refusal(data))

    def leave_out(self, is_no_gpu: Callable[[str], bool]) -> None:
        """Forgets of nodes and pods what is no GPU, though it bears a name like one."""
        told = (each.capacity for each in self.nodes.values()), (each.amounts for each in self._pods.values())
        named = {name for some in told for amounts in some for name in amounts}
        no_gpus = frozenset(filter(is_no_gpu, named))
        if not no_gpus:
            return
        for name, node in self.nodes.items():
            if not no_gpus.isdisjoint(node.capacity):
                capacity, allocatable = (_without(each, no_gpus) for each in (node.capacity, node.allocatable))
                self.nodes[name] = replace(node, capacity=capacity, allocatable=allocatable)
        for key, pod in list(self._pods.items()):
            pod.amounts = _without(pod.amounts, no_gpus)
            if not pod.amounts:
                del self._pods[key]
        # Whoever chose the logs to read has asked for them before.
        for asked in ("holders", "waiting", "held", "has_gpus"):
            self.__dict__.pop(asked, None)

    def _since(self, *times: str) -> None:
        oldest = self.oldest
        for each in times:
            if each and (each < oldest or not oldest):
                oldest = each
        self.oldest = oldest

    def _refuse(self, refusal: AdmissionRefusal | None) -> None:
        if refusal is not None:
            self._refusals[refusal.object] = merge_refusals(self._refusals.get(refusal.object), refusal)

    @property
    def refusals(self) -> list[AdmissionRefusal]:
        """The refusals, without those of pods that are there again under the same name: what became of these is told
        elsewhere."""
        left = (each for each in self._refusals.values() if each.key not in self._pods)
        return sorted(left, key=lambda each: each.object)

    @property
    def quotas(self) -> list[QuotaRefusal]:
        """The quota refusals that still hold: a maker that has made a pod since is no longer refused."""
        made: dict[str, list[datetime]] = defaultdict(list)
        for each in self._pods.values():
            if each.created is not None and each.owner[1]:
                made[f"{each.owner[0]}/{each.namespace}/{each.owner[1]}"].append(each.created)
        return [each for each in self.events.quotas.values() if not each.is_before(made[each.maker])]

    @property
    def now(self) -> datetime | None:
        """The newest time that is told. Where all are one and the same, nothing tells how long anything has lasted:
        somebody wrote it so, or took the other times out."""
        heard = moment(self.heard)
        if self.oldest == max(self.newest, self.heard):
            return None
        told = [moment(self.newest), heard - _APART if heard is not None else None]
        return max((when for when in told if when is not None), default=None)

    @cached_property
    def has_gpus(self) -> bool:
        return bool(self._pods) or any(each.capacity for each in self.nodes.values())

    @cached_property
    def holders(self) -> list[AskingPod]:
        return [each for each in self._pods.values() if each.node]

    @cached_property
    def waiting(self) -> list[AskingPod]:
        return [each for each in self._pods.values() if not each.node]

    @cached_property
    def held(self) -> Mapping[str, list[AskingPod]]:
        """The pods that hold GPUs, by node."""
        found: dict[str, list[AskingPod]] = defaultdict(list)
        for each in self.holders:
            found[each.node].append(each)
        return found


def _without(amounts: Mapping[str, int], left_out: frozenset[str]) -> Mapping[str, int]:
    return {name: amount for name, amount in amounts.items() if name not in left_out}


def _turned(data: Mapping[str, Any]) -> list[str]:
    return [text_at(each, "lastTransitionTime") for each in mappings_at(data, "status", "conditions")]
