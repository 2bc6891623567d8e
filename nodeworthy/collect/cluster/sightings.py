"""Keeps of events and pods what people are told of them: which word, since when, how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from nodeworthy.documents.plain import text_at
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.facts.cluster.sandbox_failure import count_of, moment, period_of, subject_of
from nodeworthy.facts.cluster.sighting import Sighting, Sign
from nodeworthy.records import dataclass

Key = tuple[str, str]
_KEPT = frozenset(
    "reason count deprecatedCount series eventTime firstTimestamp lastTimestamp deprecatedFirstTimestamp "
    "deprecatedLastTimestamp".split()
)


@dataclass
class Sightings:
    # By object, then by the event's own name: one that comes twice counts once.
    _warned: dict[str, dict[Key, Mapping[str, Any]]] = field(default_factory=dict)

    def add_event(self, key: Key, event: Mapping[str, Any]) -> None:
        about = subject_of(event)
        word, name = text_at(event, "reason"), text_at(about, "name")
        if text_at(event, "type") == "Normal" or not word or not name:
            return
        parts = (text_at(about, "kind") or "Pod", text_at(about, "namespace"), name)
        told = "/".join(filter(None, parts))
        # Read when somebody asks: of a hundred thousand events, few are told.
        kept = {name: value for name, value in event.items() if name in _KEPT and value is not None}
        self._warned.setdefault(told, {})[key] = kept

    def of(self, objects: Iterable[str], pods: Mapping[Key, ClusterPod]) -> Iterator[Sighting]:
        by_object = {pod.object: pod for pod in pods.values()}
        for name in dict.fromkeys(objects):
            yield from (_warning(name, event) for event in self._warned.get(name, {}).values())
            if (pod := by_object.get(name)) is not None:
                yield from self._of_pod(pod)

    def _of_pod(self, pod: ClusterPod) -> Iterator[Sighting]:
        if pod.daemonset:
            yield Sighting(pod.object, Sign.OWN)
        if word := pod.fault or pod.reason:
            yield Sighting(pod.object, Sign.STATE, word)
        if (when := moment(pod.started)) is not None:
            yield _at(pod, Sign.PLACED, when)
        if not pod.ready and not pod.is_over and (when := moment(pod.since)) is not None:
            yield _at(pod, Sign.UNREADY, when)


def _warning(told: str, event: Mapping[str, Any]) -> Sighting:
    return Sighting(told, Sign.WARNED, text_at(event, "reason"), *period_of(event), count_of(event))


def _at(pod: ClusterPod, sign: Sign, when: datetime) -> Sighting:
    return Sighting(pod.object, sign, first=when, last=when)
