"""Pods that hold GPUs and do no work with them, by what was recorded or by how their containers ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from math import isfinite
from typing import Any, ClassVar

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.known.gpu_activity import Metric, metrics, minutes
from nodeworthy.known.prices import price_of
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# What GPUs did, as Prometheus answered: the exporter's counters, by the pod that holds each GPU.

Key = tuple[str, str]

# Where Prometheus scrapes the exporter without honorLabels, `pod` is the exporter's own.
_PODS = (("exported_namespace", "exported_pod"), ("namespace", "pod"))
LABELS = ("Hostname", "UUID", "gpu", "GPU_I_ID", *(name for pair in _PODS for name in pair))


@dataclass(frozen=True, slots=True)
class Series:
    """One GPU over some time."""

    ever_busy: bool
    seconds: float

    def beside(self, other: Series) -> Series:
        """Told by two counters: what one of them saw is seen."""
        return Series(self.ever_busy or other.ever_busy, max(self.seconds, other.seconds))


@dataclass
class GpuUsage:
    # Why it could not be had, where it was asked for.
    unseen: str = ""
    _by_pod: dict[Key, dict[tuple[str, ...], Series]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._by_pod)

    def add(self, answer: Any) -> None:
        for each in mappings_at(answer, "data", "result"):
            labels = mapping_at(each, "metric")
            metric, key = metrics().get(text_at(labels, "__name__")), _pod(labels)
            if metric is None or key is None:
                continue
            series = _series(each, metric)
            if series is not None:
                kept, gpu = self._by_pod.setdefault(key, {}), _gpu(labels)
                kept[gpu] = series.beside(kept[gpu]) if gpu in kept else series

    def of(self, key: Key, gpus: int) -> tuple[bool | None, float]:
        """Whether a pod's GPUs work, None where that is not known, and for how many seconds they were looked at."""
        series = list(self._by_pod.get(key, {}).values())
        if any(each.ever_busy for each in series):
            return True, 0.0
        looked = min((each.seconds for each in series), default=0.0)
        known = len(series) >= gpus > 0 and looked >= minutes("long_enough") * 60
        return (False if known else None), looked


def _gpu(labels: Mapping[str, Any]) -> tuple[str, ...]:
    return text_at(labels, "Hostname"), text_at(labels, "UUID") or text_at(labels, "gpu"), text_at(labels, "GPU_I_ID")


def is_answer(data: Mapping[str, Any]) -> bool:
    """Whether it is what Prometheus' HTTP API answers to a query."""
    return text_at(data, "status") == "success" and text_at(data, "data", "resultType") in ("matrix", "vector")


def _pod(metric: Mapping[str, Any]) -> Key | None:
    for namespace, pod in _PODS:
        if text_at(metric, pod):
            return text_at(metric, namespace), text_at(metric, pod)
    return None


def _series(each: Mapping[str, Any], metric: Metric) -> Series | None:
    samples = sorted(_samples(at(each, "values") or [at(each, "value")], metric.most))
    if not samples:
        return None
    return Series(any(value >= metric.idle_below for _, value in samples), _looked([when for when, _ in samples]))


def _looked(times: Sequence[float]) -> float:
    """Up to the last sample without a gap: nobody knows what a GPU did in one."""
    gap = 2 * minutes("step") * 60
    begins = times[-1]
    for when in reversed(times):
        if begins - when > gap:
            break
        begins = when
    return times[-1] - begins


def _samples(written: Any, most: float) -> Iterator[tuple[float, float]]:
    for pair in written if isinstance(written, list) else ():
        if isinstance(pair, Sequence) and len(pair) == 2:
            try:
                when, value = float(pair[0]), float(pair[1])
            except (TypeError, ValueError):
                continue
            if isfinite(when) and 0 <= value <= most:
                yield when, value


class Doing(StrEnum):
    WORKS = "works"
    IDLE = "idle"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class IdleHolder:
    """The pods of one maker that are idle for one reason."""

    made_by: str
    pods: tuple[AskingPod, ...]
    evidence: str
    # When the work ended, where that is told.
    since: datetime | None
    # What their GPUs cost in a day, None where no price is known.
    per_day: float | None

    @property
    def gpus(self) -> int:
        return sum(each.gpus for each in self.pods)

    @property
    def place(self) -> Place:
        return self.pods[0].place


@dataclass(frozen=True)
class HeldGpus:
    called: ClassVar[str] = "a cluster whose GPUs are held"

    idle: tuple[IdleHolder, ...]

    @property
    def place(self) -> Place:
        return self.idle[0].place if self.idle else Place(subject="pods")


def doing(pod: AskingPod, usage: GpuUsage) -> tuple[Doing, str]:
    """What it does with its GPUs, and how that is known."""
    if pod.ended is not None:
        when = f" at {pod.ended.at:%Y-%m-%d %H:%M}Z" if pod.ended.at else ""
        return (
            Doing.IDLE,
            f"its container {pod.ended.container}, which asked for them, ended{when}; others of it run on",
        )
    works, seconds = usage.of((pod.namespace, pod.name), pod.gpus)
    if works is None:
        return Doing.UNKNOWN, ""
    return (
        (Doing.WORKS, "") if works else (Doing.IDLE, f"none of its GPUs did anything for {round(seconds / 60)} minutes")
    )


def held_gpus(holders: Iterable[AskingPod], usage: GpuUsage, nodes: Mapping[str, NodeGpus]) -> HeldGpus | None:
    """None where nothing tells what any of them does."""
    found: dict[tuple[str, str], list[AskingPod]] = defaultdict(list)
    for each in holders:
        state, _ = doing(each, usage)
        if state is Doing.IDLE and each.gpus and not each.terminating:
            found[each.made_by, "ended" if each.ended else "quiet"].append(each)
    if not found and not usage:
        return None
    return HeldGpus(tuple(_idle(maker, pods, usage, nodes) for (maker, _), pods in sorted(found.items())))


def _idle(maker: str, pods: list[AskingPod], usage: GpuUsage, nodes: Mapping[str, NodeGpus]) -> IdleHolder:
    pods.sort(key=lambda each: each.object)
    ended = [each.ended.at for each in pods if each.ended and each.ended.at]
    held = min((each.since for each in pods if each.since), default=None)
    evidence = doing(pods[0], usage)[1] + (f"; held since {held:%Y-%m-%d %H:%M}Z" if held else "")
    costs = list(_costs(pods, nodes))
    known = None if None in costs else sum(each for each in costs if each is not None)
    return IdleHolder(maker, tuple(pods), evidence, min(ended, default=None), known)


def _costs(pods: Iterable[AskingPod], nodes: Mapping[str, NodeGpus]) -> Iterator[float | None]:
    for pod in pods:
        node = nodes.get(pod.node)
        price = price_of(node.instance_type) if node is not None and not node.shared else None
        yield price.per_gpu_day * pod.gpus if price is not None else None
