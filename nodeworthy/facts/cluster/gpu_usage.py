"""What GPUs did, as Prometheus answered: the exporter's counters, by the pod that holds each GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.records import dataclass

Key = tuple[str, str]

# Of NVIDIA's DCGM exporter, with what a value has to be below for the GPU to do nothing.
_IDLE_BELOW = {"DCGM_FI_DEV_GPU_UTIL": 1.0, "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 0.01}
# A job reads data, saves a checkpoint, compiles: what is quiet for less is not idle.
LONG_ENOUGH = timedelta(minutes=30)
# Where Prometheus scrapes the exporter without honorLabels, `pod` is the exporter's own.
_PODS = (("exported_namespace", "exported_pod"), ("namespace", "pod"))


@dataclass(frozen=True, slots=True)
class Series:
    """One GPU over some time."""

    ever_busy: bool
    seconds: float


@dataclass
class GpuUsage:
    _by_pod: dict[Key, dict[tuple[str, str], Series]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._by_pod)

    def add(self, answer: Any) -> None:
        for each in mappings_at(answer, "data", "result"):
            metric = mapping_at(each, "metric")
            name, key = text_at(metric, "__name__"), _pod(metric)
            if name in _IDLE_BELOW and key is not None:
                gpu = (text_at(metric, "Hostname"), text_at(metric, "UUID") or text_at(metric, "gpu"))
                series = _series(each, _IDLE_BELOW[name])
                if series is not None:
                    self._by_pod.setdefault(key, {})[gpu] = series

    def of(self, key: Key, gpus: int) -> tuple[bool | None, float]:
        """Whether a pod's GPUs work, None where that is not known, and for how many seconds they were looked at."""
        series = list(self._by_pod.get(key, {}).values())
        if any(each.ever_busy for each in series):
            return True, 0.0
        looked = min((each.seconds for each in series), default=0.0)
        known = len(series) >= gpus > 0 and looked >= LONG_ENOUGH.total_seconds()
        return (False if known else None), looked


def is_answer(data: Mapping[str, Any]) -> bool:
    """Whether it is what Prometheus' HTTP API answers to a query."""
    return text_at(data, "status") == "success" and text_at(data, "data", "resultType") in ("matrix", "vector")


def _pod(metric: Mapping[str, Any]) -> Key | None:
    for namespace, pod in _PODS:
        if text_at(metric, pod):
            return text_at(metric, namespace), text_at(metric, pod)
    return None


def _series(each: Mapping[str, Any], below: float) -> Series | None:
    samples = list(_samples(at(each, "values") or [at(each, "value")]))
    if not samples:
        return None
    times = [when for when, _ in samples]
    return Series(any(value >= below for _, value in samples), max(times) - min(times))


def _samples(written: Any) -> Iterator[tuple[float, float]]:
    for pair in written if isinstance(written, list) else ():
        if isinstance(pair, Sequence) and len(pair) == 2:
            try:
                yield float(pair[0]), float(pair[1])
            except (TypeError, ValueError):
                continue
