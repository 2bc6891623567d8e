"""What events say of the way of pods to their nodes, and of kubelets that started again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.cluster.sandbox_failure import moment, subject_of, words_of
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
# It says of a pod what it would need a new node for, in the scheduler's name of an event.
_KARPENTER = "karpenter"
_SHORT = "InsufficientCapacityError"
_OF_GROWTH = ("NotTriggerScaleUp", "TriggeredScaleUp", "FailedScaleUp", "Nominated", _SHORT)
_CLAIM = pattern(r"nodeclaim/(?P<name>[a-z0-9][a-z0-9.-]{0,252})")
_OF_HAMI = ("FilteringFailed", "BindingFailed")
# Said of a claim on a volume, and of a group that is placed together.
_OF_OBJECTS = ("ProvisioningFailed", "FailedBinding", "Unschedulable", "NotEnoughResources")
# Longer than any scheduler's sentence.
_MOST = 2000
_STARTED = {"Starting": "kubelet started", "Rebooted": "the node rebooted", "NodeReady": "the node became ready again"}
# Volcano's words, those of the scheduler plugin for coscheduling, and YuniKorn's.
_GANG = pattern(
    r"pod ?group is not ready|gang unschedulable|minAvailable|minMember|cannot find enough sibling pods|"
    r"PodGroup .{1,300} gets rejected|gang placeholder"
)
_QUOTA = pattern(
    r"exceeded quota: (?P<name>[^,\s]+), requested: (?P<asked>\S+), used: (?P<used>\S+), limited: (?P<limited>\S+)"
)


@dataclass(frozen=True, slots=True)
class QuotaRefusal:
    """Pods that the API server did not let their maker make: the namespace has used up its share."""

    maker: str
    namespace: str
    quota: str
    resource: str
    asked: str
    used: str
    limited: str
    when: datetime | None = None
    # Pods of the namespace that wait for a node themselves, and count all the same.
    taken_by: tuple[str, ...] = ()

    def is_before(self, made: Iterable[datetime]) -> bool:
        """Whether its maker has made one of these pods since, and was let."""
        return self.when is not None and any(each > self.when for each in made)

    @property
    def place(self) -> Place:
        return Place(object=f"ResourceQuota/{self.namespace}/{self.quota}")


@dataclass(frozen=True, slots=True)
class Nominated:
    since: str
    last: str
    claims: tuple[str, ...]


@dataclass
class SchedulingEvents:
    # The scheduler's last word of a pod, with its time; who was placed by one; for whom nodes are being started.
    unplaced: dict[Key, tuple[str, str]] = field(default_factory=dict)
    placed: set[Key] = field(default_factory=set)
    growing: dict[Key, str] = field(default_factory=dict)
    # For whom Karpenter has nodes in view: since when, when last, and by which claim.
    nominated: dict[Key, Nominated] = field(default_factory=dict)
    # Of Karpenter's claims what is said of machines that the cloud has not.
    short: dict[str, tuple[str, str]] = field(default_factory=dict)
    # What HAMi's scheduler says of a pod, one event for each reason.
    of_hami: dict[Key, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    # Why no node is started for a pod, with who says so.
    not_growing: dict[Key, tuple[str, str]] = field(default_factory=dict)
    # When the kubelet of a node started, and how that is known.
    starts: dict[str, list[tuple[datetime, str]]] = field(default_factory=lambda: defaultdict(list))
    # Why a PersistentVolumeClaim has no volume, in the newest words.
    claims: dict[Key, tuple[str, str]] = field(default_factory=dict)
    quotas: dict[tuple[str, str, str], QuotaRefusal] = field(default_factory=dict)
    # Of groups that are placed together or not at all what is said besides that.
    groups: dict[Key, tuple[str, str]] = field(default_factory=dict)

    def add(self, event: Any) -> None:
        reason, message = text_at(event, "reason"), words_of(event)
        about = subject_of(event)
        key = (text_at(about, "namespace"), text_at(about, "name"))
        if reason in _OF_GROWTH or (reason == "FailedScheduling" and _who(event) == _KARPENTER):
            self._add_growth(reason, key, message, event)
        elif reason == "FailedScheduling":
            when = time_of(event)
            if when >= self.unplaced.get(key, ("", ""))[0]:
                self.unplaced[key] = (when, message[:_MOST])
        elif reason in _OF_HAMI:
            self.of_hami[key].append((time_of(event), message[:_MOST]))
        elif reason == "Scheduled":
            self.placed.add(key)
        elif reason in _STARTED and text_at(about, "kind") == "Node":
            self._add_start(key[1], reason, message, event)
        elif "exceeded quota" in message:
            self._add_quota(about, message, moment(time_of(event)))
        elif reason in _OF_OBJECTS:
            self._add_of_object(text_at(about, "kind"), key, f"{reason}: {message[:_MOST]}", time_of(event))

    def _add_growth(self, reason: str, key: Key, message: str, event: Any) -> None:
        when = time_of(event)
        if reason == "TriggeredScaleUp":
            self.growing[key] = when
        elif reason == "Nominated":
            if _who(event) == _KARPENTER:
                self._add_nominated(key, event, message)
        elif reason == _SHORT:
            self.short[key[1]] = max(self.short.get(key[1], ("", "")), (when, message[:_MOST]))
        else:
            says = f"{_who(event) or 'the autoscaler'} starts no node for them: {message[:_MOST]}"
            self.not_growing[key] = max(self.not_growing.get(key, ("", "")), (when, says))

    def _add_of_object(self, kind: str, key: Key, says: str, when: str) -> None:
        kept = self.claims if kind == "PersistentVolumeClaim" else self.groups if kind == "PodGroup" else None
        if kept is not None and not (kept is self.groups and is_of_a_gang(says)):
            kept[key] = max(kept.get(key, ("", "")), (when, says))

    def _add_nominated(self, key: Key, event: Any, message: str) -> None:
        """The same event is told again and again, as long as the node does not come."""
        first, last, claim = text_at(event, "firstTimestamp") or time_of(event), time_of(event), _CLAIM.search(message)
        before = self.nominated.get(key)
        claims = (*(before.claims if before is not None else ()), *((claim["name"],) if claim is not None else ()))
        since = min(first, before.since) if before is not None else first
        self.nominated[key] = Nominated(since, max(last, before.last) if before is not None else last, claims)

    def _add_start(self, node: str, reason: str, message: str, event: Any) -> None:
        # Others than kubelet say that they start, too.
        when = moment(time_of(event))
        if when is not None and (reason != "Starting" or "kubelet" in message):
            self.starts[node].append((when, _STARTED[reason]))

    def _add_quota(self, about: Any, message: str, when: datetime | None) -> None:
        found = _QUOTA.search(message)
        if found is None:
            return
        asked, used, limited = (_amounts(found[name]) for name in ("asked", "used", "limited"))
        for name, amount in asked.items():
            resource = name.removeprefix("requests.").removeprefix("limits.")
            if is_gpu_resource(resource):
                maker = "/".join(filter(None, (text_at(about, each) for each in ("kind", "namespace", "name"))))
                refusal = QuotaRefusal(
                    maker,
                    text_at(about, "namespace"),
                    found["name"],
                    resource,
                    amount,
                    used.get(name, "0"),
                    limited.get(name, "0"),
                    when,
                )
                self.quotas[refusal.namespace, refusal.quota, maker] = refusal


def is_of_a_gang(words: str) -> bool:
    return _GANG.search(words) is not None


def _who(event: Any) -> str:
    source = mapping_at(event, "source") or mapping_at(event, "deprecatedSource")
    return text_at(source, "component") or text_at(event, "reportingComponent") or text_at(event, "reportingController")


def _amounts(written: str) -> dict[str, str]:
    pairs = (each.partition("=") for each in written.rstrip(",.").split(","))
    return {name: amount for name, equals, amount in pairs if equals}


def time_of(event: Any) -> str:
    """When it last happened, as it is written; equal forms compare as text."""
    series = text_at(event, "series", "lastObservedTime")
    names = ("lastTimestamp", "deprecatedLastTimestamp", "eventTime", "firstTimestamp")
    return series or next(filter(None, (text_at(event, name) for name in names)), "")


def reasons(message: str) -> Iterable[tuple[int, str]]:
    """How many nodes the scheduler gave which reason, from its message: `0/5 nodes are available: 3 Insufficient
    nvidia.com/gpu, 2 node(s) had untolerated taint {a: b}. preemption: …`. The number is 0 where a reason is about the
    pod itself."""
    _, _, said = message.partition("nodes are available: ")
    said = re.split(r"\.? (?:still not schedulable, )?preemption: |\. (?=no new claims)", said)[0].rstrip(". ")
    for each in re.split(r", (?=\d+ )", said):
        found = re.match(r"(\d+) (.+)", each.strip(), re.DOTALL)
        if found is not None:
            yield int(found[1]), found[2].strip().rstrip(".")
        elif each.strip():
            yield 0, each.strip()
