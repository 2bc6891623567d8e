"""What events say of the way of pods to their nodes, and of kubelets that started again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.pod.containers import is_gpu_resource
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
# It says of a pod what it would need a new node for, in the scheduler's name of an event.
_KARPENTER = "karpenter"
_OF_HAMI = ("FilteringFailed", "BindingFailed")
_OF_CLAIMS = ("ProvisioningFailed", "FailedBinding")
# Longer than any scheduler's sentence.
_MOST = 2000
_STARTED = {"Starting": "kubelet started", "Rebooted": "the node rebooted", "NodeReady": "the node became ready again"}
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

    def is_before(self, made: Iterable[datetime]) -> bool:
        """Whether its maker has made one of these pods since, and was let."""
        return self.when is not None and any(each > self.when for each in made)

    @property
    def place(self) -> Place:
        return Place(object=f"ResourceQuota/{self.namespace}/{self.quota}")


@dataclass
class SchedulingEvents:
    # The scheduler's last word of a pod, with its time; who was placed by one; for whom nodes are being started.
    unplaced: dict[Key, tuple[str, str]] = field(default_factory=dict)
    placed: set[Key] = field(default_factory=set)
    growing: dict[Key, str] = field(default_factory=dict)
    # What HAMi's scheduler says of a pod, one event for each reason.
    of_hami: dict[Key, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))
    # Why no node is started for a pod, with who says so.
    not_growing: dict[Key, tuple[str, str]] = field(default_factory=dict)
    # When the kubelet of a node started, and how that is known.
    starts: dict[str, list[tuple[datetime, str]]] = field(default_factory=lambda: defaultdict(list))
    # Why a PersistentVolumeClaim has no volume, in the newest words.
    claims: dict[Key, tuple[str, str]] = field(default_factory=dict)
    quotas: dict[tuple[str, str, str], QuotaRefusal] = field(default_factory=dict)

    def add(self, event: Any) -> None:
        reason, message = text_at(event, "reason"), text_at(event, "message") or text_at(event, "note")
        about = mapping_at(event, "involvedObject") or mapping_at(event, "regarding")
        key = (text_at(about, "namespace"), text_at(about, "name"))
        if reason == "NotTriggerScaleUp" or (reason == "FailedScheduling" and _who(event) == _KARPENTER):
            says = f"{_who(event) or 'the autoscaler'} starts no node for them: {message[:_MOST]}"
            self.not_growing[key] = max(self.not_growing.get(key, ("", "")), (time_of(event), says))
        elif reason == "FailedScheduling":
            when = time_of(event)
            if when >= self.unplaced.get(key, ("", ""))[0]:
                self.unplaced[key] = (when, message[:_MOST])
        elif reason in _OF_CLAIMS and text_at(about, "kind") == "PersistentVolumeClaim":
            self.claims[key] = max(self.claims.get(key, ("", "")), (time_of(event), f"{reason}: {message[:_MOST]}"))
        elif reason in _OF_HAMI:
            self.of_hami[key].append((time_of(event), message[:_MOST]))
        elif reason == "Scheduled":
            self.placed.add(key)
        elif reason == "TriggeredScaleUp":
            self.growing[key] = time_of(event)
        elif reason in _STARTED and text_at(about, "kind") == "Node":
            self._add_start(key[1], reason, message, event)
        elif "exceeded quota" in message:
            self._add_quota(about, message, moment(time_of(event)))

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
    """Of `0/5 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {a: b}. preemption:
    …` how many nodes said what; none where it is about the pod itself (`… available: persistentvolumeclaim "data" not
    found`)."""
    _, _, said = message.partition("nodes are available: ")
    said = re.split(r"\.? (?:still not schedulable, )?preemption: |\. (?=no new claims)", said)[0].rstrip(". ")
    for each in re.split(r", (?=\d+ )", said):
        found = re.match(r"(\d+) (.+)", each.strip(), re.DOTALL)
        if found is not None:
            yield int(found[1]), found[2].strip().rstrip(".")
        elif each.strip():
            yield 0, each.strip()
