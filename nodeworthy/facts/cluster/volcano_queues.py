"""Groups of Volcano's that need more together than their queue may ever have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.references import is_about_gpus, object_of
from nodeworthy.facts.pod.containers import NotAQuantity, quantity
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
QUEUE = "Queue.scheduling.volcano.sh"
_GROUP = "PodGroup"
# Volcano puts a group that names no queue into this one.
_DEFAULT = "default"
# Source: volcano-sh/volcano ed72c7c8: pkg/scheduler/plugins/capacity/capacity.go, proportion/proportion.go (a group
# whose minResources do not fit beneath the capability of its queue, and of those above it, is not let in; what the
# capability does not name is not compared); 2026-08.
_WAITS = ("", "Pending", "Inqueue")


@dataclass(frozen=True)
class OversizedGroup:
    """A group, and the queue whose capability is below what it needs to start."""

    key: Key
    queue: str
    # Its own queue, or one above it.
    bounded_by: str
    resource: str
    needs: Fraction
    capability: Fraction
    # The pods that were made of it.
    pods: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object=object_of((_GROUP, *self.key)))

    @property
    def victims(self) -> tuple[str, ...]:
        return (object_of((_GROUP, *self.key)), *self.pods)


@dataclass
class VolcanoSeen:
    """What queues may have, and what groups with GPUs that wait need of them."""

    capabilities: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)
    waiting: dict[Key, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == QUEUE:
            self.capabilities[key[1]] = mapping_at(data, "spec", "capability")
            self.above[key[1]] = text_at(data, "spec", "parent")
        elif kind == _GROUP:
            self.waiting.pop(key, None)
            needs = mapping_at(data, "spec", "minResources")
            if text_at(data, "status", "phase") in _WAITS and needs and is_about_gpus(data, by_words=False):
                self.waiting[key] = (text_at(data, "spec", "queue") or _DEFAULT, needs)


def oversized_groups(found: VolcanoSeen, waiting: Sequence[AskingPod]) -> Iterator[OversizedGroup]:
    pods: dict[Key, list[str]] = defaultdict(list)
    for pod in waiting:
        if pod.group:
            pods[pod.namespace, pod.group].append(pod.object)
    for key, (queue, needs) in found.waiting.items():
        tight = next(_too_tight(found, queue, needs), None)
        if tight is not None:
            yield OversizedGroup(key, queue, *tight, tuple(sorted(pods[key])))


def _too_tight(
    found: VolcanoSeen, queue: str, needs: Mapping[str, Any]
) -> Iterator[tuple[str, str, Fraction, Fraction]]:
    for each in _and_those_above(found, queue):
        for resource, may in found.capabilities[each].items():
            wanted, most = _amount(needs.get(resource)), _amount(may)
            if wanted is not None and most is not None and wanted > most:
                yield each, resource, wanted, most


def _amount(said: Any) -> Fraction | None:
    """None where it is not said, or in no words that the API server takes."""
    try:
        return None if said is None else quantity(said)
    except NotAQuantity:
        return None


def _and_those_above(found: VolcanoSeen, queue: str) -> Iterator[str]:
    passed: set[str] = set()
    while queue in found.capabilities and queue not in passed:
        passed.add(queue)
        yield queue
        queue = found.above[queue]
