"""Quotas of GPUs in a ClusterQueue, as Kueue takes them, and the queues by which jobs come to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import NotAQuantity, is_gpu_resource, quantity
from nodeworthy.facts.pod.refused import MADE_LATER, PodRefusal
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_GROUP = "kueue.x-k8s.io/"
# The cohort that a queue borrows from and lends to, as v1beta1 and v1beta2 call it.
_COHORT = ("cohort", "cohortName")


@dataclass(frozen=True)
class GpuQueue:
    called: ClassVar[str] = "a ClusterQueue of GPUs"

    place: Place
    title: str
    spec: Tree

    def refusals(self) -> Iterator[PodRefusal]:
        """Source: kueue, pkg/webhooks/clusterqueue_webhook.go."""
        of_flavors: set[str] = set()
        is_alone = all(self.spec.get(each).is_absent for each in _COHORT)
        for group in self.spec.get("resourceGroups").sequence:
            for flavor in group.get("flavors").sequence:
                yield from _counts_others(group.get("coveredResources"), flavor)
                yield from _comes_again(flavor.get("name"), of_flavors)
                for counted in flavor.get("resources").sequence:
                    yield from _shares_with_nobody(counted) if is_alone else _lends_more_than_it_has(counted)


@dataclass(frozen=True)
class LocalQueue:
    """What jobs name, by a label: it leads to a ClusterQueue."""

    called: ClassVar[str] = "a LocalQueue of Kueue's"

    place: Place
    namespace: str
    name: str
    leads_to: str


@dataclass(frozen=True)
class QueueCover:
    """The resources that a ClusterQueue admits."""

    called: ClassVar[str] = "a ClusterQueue"

    place: Place
    name: str
    resources: frozenset[str]


def kueues_queues(document: Tree) -> Iterator[LocalQueue | QueueCover]:
    """Those of which all is known: one that is filled in later covers nobody knows what."""
    metadata, spec = document.get("metadata"), document.get("spec")
    name = metadata.get("name").text
    if not document.get("apiVersion").string.startswith(_GROUP) or not name or why_incomplete(spec):
        return
    if document.get("kind").text == "LocalQueue":
        if spec.get("clusterQueue").text:
            yield LocalQueue(document.place, metadata.get("namespace").string, name, spec.get("clusterQueue").string)
        return
    covered = [each.text or "" for group in spec.get("resourceGroups").sequence for each in _covered(group)]
    if covered and not any(not each or MADE_LATER.search(each) for each in covered):
        yield QueueCover(document.place, name, frozenset(covered))


def gpu_queues(document: Tree) -> Iterator[GpuQueue]:
    spec = document.get("spec")
    if not document.get("apiVersion").string.startswith(_GROUP) or why_incomplete(spec):
        return
    named = [each for group in spec.get("resourceGroups").sequence for each in _covered(group)]
    covered, hidden = [each.string for each in named], any(each.is_unknown for each in named)
    if any(map(is_gpu_resource, covered)) and not hidden and not any(map(MADE_LATER.search, covered)):
        yield GpuQueue(document.place, f"ClusterQueue '{document.get('metadata', 'name').text}'", spec)


def _covered(group: Tree) -> Iterator[Tree]:
    yield from group.get("coveredResources").sequence
    for flavor in group.get("flavors").sequence:
        yield from (each.get("name") for each in flavor.get("resources").sequence)


def _counts_others(covered: Tree, flavor: Tree) -> Iterator[PodRefusal]:
    wanted = [each.string for each in covered.sequence]
    named = [each.get("name").string for each in flavor.get("resources").sequence]
    if named == wanted or not wanted or flavor.get("resources").is_unknown:
        return
    how = "the same resources in another order" if sorted(named) == sorted(wanted) else "other resources"
    yield PodRefusal(
        flavor.get("resources").heading,
        f"counts {how} of {flavor.get('name').text} than it covers",
        ", ".join(named) or "no resources",
        f"{', '.join(wanted)}: each of coveredResources, in their order",
        "must have the same number of resources as the coveredResources, and each must match the name there",
    )


def _comes_again(name: Tree, before: set[str]) -> Iterator[PodRefusal]:
    if name.text in before:
        yield PodRefusal(
            name.place,
            f"names the flavor {name.text} twice",
            name.text,
            "each flavor in one of resourceGroups, with all that is counted of it",
            f'resourceGroups[…].flavors[…].name: Duplicate value: "{name.text}"',
        )
    before.update(filter(None, (name.text,)))


def _shares_with_nobody(counted: Tree) -> Iterator[PodRefusal]:
    for name in ("borrowingLimit", "lendingLimit"):
        limit = counted.get(name)
        if not limit.is_absent and not limit.is_null:
            yield PodRefusal(
                limit.heading,
                f"has a {name} of {counted.get('name').string}, and belongs to no cohort",
                f"{name}: {limit.located().shown()}, and no cohort",
                f"the cohort that it shares with (cohort, in v1beta2 cohortName), or no {name}",
                f"{name} must be nil when cohort is empty",
            )


def _lends_more_than_it_has(counted: Tree) -> Iterator[PodRefusal]:
    lends, has = counted.get("lendingLimit"), counted.get("nominalQuota")
    if any(each.is_absent or each.is_null or each.is_unknown for each in (lends, has)):
        return
    try:
        is_more = quantity(lends.value) > quantity(has.value)
    except NotAQuantity:
        return
    if is_more:
        yield PodRefusal(
            lends.place,
            f"lends more {counted.get('name').string} than it has",
            f"lendingLimit: {lends.located().shown()}, nominalQuota: {has.located().shown()}",
            f"a lendingLimit of {has.located().shown()} at most",
            "lendingLimit: must be less than or equal to the nominalQuota",
        )
