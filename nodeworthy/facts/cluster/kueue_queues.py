"""Work with GPUs that Kueue holds back for ever: its namespace may not use the queue, it names none, or nobody made a
Workload for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.cluster.elapsed import has_lasted
from nodeworthy.facts.cluster.references import is_about_gpus
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

Key = tuple[str, str]
QUEUE = "kueue.x-k8s.io/queue-name"
# Whoever bears it has a Workload that somebody else makes.
_PREBUILT = "kueue.x-k8s.io/prebuilt-workload-name"
# How long Kueue may take to see a job.
_LOOKS = timedelta(minutes=10)
# Where each kind of job says that it is held back.
_HELD: Mapping[str, tuple[str, ...]] = {
    "Job": ("spec", "suspend"),
    "JobSet": ("spec", "suspend"),
    "RayCluster": ("spec", "suspend"),
    "TrainJob": ("spec", "suspend"),
    "PyTorchJob": ("spec", "runPolicy", "suspend"),
    "MPIJob": ("spec", "runPolicy", "suspend"),
}
_NAMED_AFTER = 50
# Source: kubernetes-sigs/kueue ff69552e: pkg/workload/resources.go (ErrNamespaceMismatch, ErrNamespaceNotFound) and
# pkg/scheduler/scheduler.go (nominate: ValidateAdmissibility comes before flavors are assigned); 2026-08.
_OF_NAMESPACES = "namespace"
_OVER = ("Admitted", "Finished")


@dataclass(frozen=True)
class ClosedQueue:
    """A ClusterQueue that takes nothing of a namespace, and the work there that was sent to it."""

    name: str
    namespace: str
    # None where it has none, and takes of no namespace.
    selector: Mapping[str, Any] | None
    labels: Mapping[str, str]
    victims: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object=f"ClusterQueue/{self.name}")


@dataclass(frozen=True)
class NoQueue:
    """A Workload that names no queue."""

    key: Key
    victims: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(object="/".join(("Workload", *self.key)))


@dataclass(frozen=True)
class NoWorkload:
    """A job that is held back for a queue, and of which Kueue has made no Workload."""

    kind: str
    key: Key
    queue: str

    @property
    def place(self) -> Place:
        return Place(object="/".join((self.kind, *self.key)))


@dataclass(frozen=True)
class HeldByKueue:
    closed: tuple[ClosedQueue, ...] = ()
    unqueued: tuple[NoQueue, ...] = ()
    unseen: tuple[NoWorkload, ...] = ()
    looked_for: int = 0

    @property
    def victims(self) -> frozenset[str]:
        closed, unqueued = (each.victims for each in self.closed), (each.victims for each in self.unqueued)
        return frozenset().union(*closed, *unqueued)


@dataclass
class KueueSeen:
    """Queues, the work with GPUs that waits in them, and what holds jobs back; of all else nothing."""

    selectors: dict[str, Mapping[str, Any] | None] = field(default_factory=dict)
    queues: dict[Key, str] = field(default_factory=dict)
    # Work that was not let in, by the queue that it names, with its owners.
    waiting: dict[Key, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    # Whatever has a Workload, and how Workloads are called; and the jobs that are held back, with their queue and since
    # when they are there.
    owners: set[str] = field(default_factory=set)
    names: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    held: dict[tuple[str, Key], tuple[str, str]] = field(default_factory=dict)

    def add(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        if kind == "ClusterQueue":
            said = at(data, "spec", "namespaceSelector")
            self.selectors[key[1]] = said if isinstance(said, dict) else None
        elif kind == "LocalQueue":
            self.queues[key] = text_at(data, "spec", "clusterQueue")
        elif kind == "Workload":
            self._add_workload(key, data)
        elif kind in _HELD:
            self._add_job(kind, key, data)

    def _add_workload(self, key: Key, data: Mapping[str, Any]) -> None:
        owners = [
            f"{text_at(each, 'kind')}/{key[0]}/{text_at(each, 'name')}"
            for each in mappings_at(data, "metadata", "ownerReferences")
        ]
        self.owners.update(owners)
        self.names[key[0]].append(key[1])
        self.waiting.pop(key, None)
        told = {text_at(each, "type"): each for each in mappings_at(data, "status", "conditions")}
        is_over = any(_is_true(told[each]) for each in _OVER if each in told) or at(data, "spec", "active") is False
        # Kueue asks for the namespace first: what it says of anything else, it says of work that may use the queue.
        says = text_at(told.get("QuotaReserved"), "message")
        queue = text_at(data, "spec", "queueName")
        may_be_shut_out = not queue or not says or _OF_NAMESPACES in says.lower()
        if not is_over and may_be_shut_out and is_about_gpus(data, by_words=False):
            self.waiting[key] = (queue, tuple(owners))

    def _add_job(self, kind: str, key: Key, data: Mapping[str, Any]) -> None:
        """What another made is held back with that."""
        self.held.pop((kind, key), None)
        labels = strings_at(data, "metadata", "labels")
        is_held = at(data, *_HELD[kind]) is True and QUEUE in labels and _PREBUILT not in labels
        is_made = bool(mapping_at(data, "metadata").get("ownerReferences"))
        if is_held and not is_made and is_about_gpus(data, by_words=False):
            self.held[kind, key] = (labels[QUEUE], text_at(data, "metadata", "creationTimestamp"))


def held_by_kueue(
    found: KueueSeen,
    namespaces: Mapping[str, Mapping[str, str]],
    now: datetime | None,
    knows_workloads: Callable[[str], bool],
) -> HeldByKueue:
    """`knows_workloads` says of a namespace whether all of its Workloads were read."""
    closed: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, (queue, owners) in found.waiting.items():
        name = found.queues.get((key[0], queue))
        if name in found.selectors and _is_closed(found.selectors[name], namespaces.get(key[0])):
            closed[name, key[0]] += ["/".join(("Workload", *key)), *owners]
    return HeldByKueue(
        tuple(
            ClosedQueue(name, namespace, found.selectors[name], namespaces.get(namespace, {}), tuple(victims))
            for (name, namespace), victims in closed.items()
        ),
        tuple(NoQueue(key, owners) for key, (queue, owners) in found.waiting.items() if not queue),
        tuple(_unseen(found, now, knows_workloads)),
        len(found.waiting) + len(found.held),
    )


def _is_closed(selector: Mapping[str, Any] | None, labels: Mapping[str, str] | None) -> bool:
    if selector is None:
        return True
    return labels is not None and not selects(selector, labels)


def _unseen(found: KueueSeen, now: datetime | None, knows: Callable[[str], bool]) -> Iterator[NoWorkload]:
    for (kind, key), (queue, made) in found.held.items():
        has_one = "/".join((kind, *key)) in found.owners or _is_called_after(found.names[key[0]], kind, key[1])
        if not has_one and knows(key[0]) and has_lasted(moment(made), now, _LOOKS):
            yield NoWorkload(kind, key, queue)


def _is_called_after(names: Collection[str], kind: str, job: str) -> bool:
    """Kueue calls a Workload after its job's kind and name, as far as there is room, and puts a hash behind."""
    begins = f"{kind.lower()}-{job}"[:_NAMED_AFTER]
    return any(each.startswith(begins) for each in names)


def _is_true(condition: Mapping[str, Any]) -> bool:
    return text_at(condition, "status") == "True"
