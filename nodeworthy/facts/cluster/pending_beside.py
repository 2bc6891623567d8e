"""Pods with GPUs that have to be beside other pods, or away from them, by labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nodeworthy.documents.plain import mapping_at, mappings_at, text_at
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.selector import selects
from nodeworthy.records import dataclass
from nodeworthy.verdict import NOWHERE, Place, Related, fail

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.asking_pod import AskingPod
    from nodeworthy.facts.cluster.pending_world import PendingWorld
    from nodeworthy.facts.cluster.pod import ClusterPod

# The scheduler's words, by how they begin.
NOT_BESIDE, NOT_AWAY = "node(s) didn't match pod affinity", "node(s) didn't match pod anti-affinity"
_SHOWN = 3
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
# Of terms that choose namespaces by labels, or whose labels are filled in by the pod's own, nothing is known here.
_BY_MORE = ("namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")


@dataclass(frozen=True)
class Neighbours:
    """Whom a pod wants beside it (or not), on nodes that have this label in common."""

    are_wanted: bool
    namespaces: tuple[str, ...]
    selector: Mapping[str, Any]
    within: str

    def chooses(self, pod: ClusterPod) -> bool:
        return pod.namespace in self.namespaces and selects(self.selector, pod.labels)


def neighbours_of(pod: Mapping[str, Any]) -> Iterator[Neighbours]:
    own = (text_at(pod, "metadata", "namespace"),)
    for name, are_wanted in (("podAffinity", True), ("podAntiAffinity", False)):
        for each in mappings_at(pod, "spec", "affinity", name, _REQUIRED):
            named = each.get("namespaces")
            namespaces = tuple(map(str, named)) if isinstance(named, list) and named else own
            selector = each.get("labelSelector")
            if isinstance(selector, dict) and not any(each.get(more) for more in _BY_MORE):
                yield Neighbours(are_wanted, namespaces, selector, text_at(each, "topologyKey"))


def who_is_not_beside(pod: AskingPod, words: str, why: str, world: PendingWorld) -> PendingCause | None:
    """By the pods that its terms choose, where they are."""
    is_wanted = why.startswith(NOT_BESIDE)
    for term in pod.neighbours:
        if term.are_wanted is not is_wanted:
            continue
        met = [each for each in world.pods if each.object != pod.object and not each.is_over and term.chooses(each)]
        placed = [each for each in met if each.node and (is_wanted or _has_gpus(each.node, world))]
        if not placed and not is_wanted:
            continue
        return _of_the_wanted(words, term, placed) if is_wanted else _of_the_unwanted(words, term, placed)
    return None


def _has_gpus(name: str, world: PendingWorld) -> bool:
    node = world.nodes.get(name)
    return node is not None and node.has_gpus


def _of_the_wanted(words: str, term: Neighbours, placed: Sequence[ClusterPod]) -> PendingCause:
    on = ", ".join(dict.fromkeys(each.node for each in placed[:_SHOWN]))
    if placed:
        cause = f"a pod that they have to be beside ({term.within}) is on {on}, where they find no free GPUs"
        remedy = (
            "leave the affinity out, or prefer it (preferredDuringSchedulingIgnoredDuringExecution); or let the other "
            "pod choose nodes with GPUs, too: its nodeSelector"
        )
    else:
        cause = "no pod that is on a node has these labels, in the namespaces where they are looked for"
        remedy = "start first the pods that it names, or write labels that they have: kubectl get pods --show-labels"
    return PendingCause(
        ("not beside", str(term.selector)),
        fail(
            NOWHERE,
            f"the GPUs are free, and they may only be beside pods with {_labels(term)}",
            is_=words,
            should=f"such a pod on a node with free GPUs, by {term.within}",
            cause=cause,
            remedy=remedy,
            related=_pods(placed),
        ),
    )


def _of_the_unwanted(words: str, term: Neighbours, placed: Sequence[ClusterPod]) -> PendingCause:
    return PendingCause(
        ("not away", str(term.selector)),
        fail(
            NOWHERE,
            f"the GPUs are free, and they may not be beside pods with {_labels(term)}",
            is_=words,
            should=f"a node with free GPUs and none of these pods, by {term.within}",
            cause="their podAntiAffinity keeps them from each node where one of these is, of whatever program it is",
            remedy="choose the pods by a label that only copies of this program have, prefer it "
            "(preferredDuringSchedulingIgnoredDuringExecution), or add nodes",
            related=_pods(placed),
        ),
    )


def _labels(term: Neighbours) -> str:
    wanted = [f"{name}={value}" for name, value in mapping_at(term.selector, "matchLabels").items()]
    wanted += [text_at(each, "key") for each in mappings_at(term.selector, "matchExpressions")]
    return ", ".join(wanted) or "any labels"


def _pods(some: Sequence[ClusterPod]) -> tuple[Related, ...]:
    return tuple(Related(Place(object=each.object), f"it is on {each.node}") for each in some[:_SHOWN])
