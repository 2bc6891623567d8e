"""What GPUs did, as Prometheus answered: the exporter's counters, by the pod that holds each GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import isfinite
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.known.gpu_activity import Metric, metrics, minutes
from nodeworthy.records import dataclass

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
            series = _series(each, metric) if metric is not None and key is not None else None
            if series is not None and key is not None:
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
