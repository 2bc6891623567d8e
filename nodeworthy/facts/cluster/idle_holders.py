"""Pods that hold GPUs and do no work with them, by what was recorded or by how their containers ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.gpu_usage import GpuUsage
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.known.prices import price_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


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
