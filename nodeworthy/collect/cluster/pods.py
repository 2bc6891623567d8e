"""Keeps of a cluster's pods those that have to do with GPUs, together where one template made them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from nodeworthy.documents.plain import number_at, text_at
from nodeworthy.facts.cluster.admission_refusal import RejectedPod, rejected_pod
from nodeworthy.facts.cluster.live_pod import LivePod, likeness, live_pod, reduce_pod
from nodeworthy.facts.cluster.refused_pod import RefusedPods, refused_pods
from nodeworthy.records import dataclass

Key = tuple[str, str]


@dataclass
class GpuPods:
    # The seconds that Jobs may take, None where they may take any.
    bounds: dict[Key, int | None] = field(default_factory=dict)
    # The newest time that was told.
    now: str = ""
    _pods: dict[Key, tuple[str, LivePod]] = field(default_factory=dict)
    _kept: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _rejected: dict[str, RejectedPod] = field(default_factory=dict)
    _refused: dict[tuple[str, ...], RefusedPods] = field(default_factory=dict)

    def add_pod(self, key: Key, data: Mapping[str, Any], *, concerns: bool) -> None:
        """Adds a pod, which concerns GPUs or not."""
        self._pods.pop(key, None)
        rejected = rejected_pod(data) if text_at(data, "status", "phase") == "Failed" else None
        if rejected is not None:
            self._rejected[rejected.object] = rejected
        if concerns:
            pod, kept = live_pod(data), reduce_pod(data)
            like = likeness(pod, kept)
            self._kept.setdefault(like, kept)
            self._pods[key] = (like, pod)

    def add_pods_of(self, others: GpuPods) -> None:
        self._rejected.update(others._rejected)
        for like, kept in others._kept.items():
            self._kept.setdefault(like, kept)
        self._pods.update(others._pods)

    def add_event(self, data: Mapping[str, Any]) -> None:
        when = text_at(data, "lastTimestamp") or text_at(data, "eventTime")
        self.now = max(self.now, when)
        rejected = rejected_pod(data)
        if rejected is not None:
            # The pod itself, where it was seen, knows its node.
            self._rejected.setdefault(rejected.object, rejected)
        refused = refused_pods(data)
        if refused is not None:
            key = (refused.place.object or "", refused.words)
            self._refused[key] = max(self._refused.get(key, refused), refused, key=lambda each: each.when)

    def add_job(self, key: Key, data: Mapping[str, Any]) -> None:
        self.bounds[key] = number_at(data, "spec", "activeDeadlineSeconds")

    @property
    def rejected(self) -> tuple[RejectedPod, ...]:
        """The rejected pods, without those that are there again under the same name."""
        alive = {pod.object for _, pod in self._pods.values() if pod.phase not in ("Failed", "Succeeded")}
        return tuple(each for each in self._rejected.values() if each.object not in alive)

    @property
    def refused(self) -> list[RefusedPods]:
        """The refused pods whose maker has brought no pod to a node since."""
        if not self._refused:
            return []
        came = [(pod.owner, pod.namespace, pod.started) for _, pod in self._pods.values() if pod.node and pod.started]
        return [each for each in self._refused.values() if not any(each.is_before(*pod) for pod in came)]

    def groups(self) -> Iterator[tuple[Mapping[str, Any], list[LivePod]]]:
        """Each template with its pods, in the order of their names."""
        together: dict[str, list[LivePod]] = defaultdict(list)
        for like, pod in self._pods.values():
            together[like].append(pod)
        for like, pods in together.items():
            yield self._kept[like], sorted(pods, key=lambda each: each.name)
