"""Whether the API server takes the NodePool and its class at all, and Karpenter knows what the pool chooses by."""

from __future__ import annotations

from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool, name_by_karpenter
from nodeworthy.facts.fleet.karpenter_schema import NotTaken, is_of_v1, not_taken_of_class, not_taken_of_pool
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

_REFUSED = "the API server refuses it, and what was there before stays: nothing starts nodes as this file says"
_DROPPED = "kubectl refuses the object for it (unknown field); where another program applies it, the field is dropped"


@RULE.check
def the_pool_is_taken(pool: KarpenterPool) -> Findings:
    for each in not_taken_of_pool(pool):
        yield _told(pool.title, each)


@RULE.check
def it_chooses_by_what_its_nodes_are(pool: KarpenterPool) -> Findings:
    found = pool.keys_of_auto_mode
    if not found:
        return
    first, *others = found
    key = first.text or ""
    yield fail(
        first,
        f"{pool.title} chooses by {key}, which is Auto Mode's: of an EC2NodeClass it limits nothing",
        is_=key,
        should=name_by_karpenter(key),
        related=[Related(each.place, f"{each.text} is Auto Mode's, too") for each in others],
        cause="Karpenter takes it for a label of your own, and writes it onto whatever node it starts: the cheapest of "
        "all types that have room for the pod",
        remedy=f"write {name_by_karpenter(key)}, or let the pool be of a NodeClass of Auto Mode's",
        severity=Severity.WARNING,
    )


@RULE.check
def its_class_is_taken(node_class: KarpenterClass) -> Findings:
    if not is_of_v1(node_class):
        skip("it is of another version than v1")
    for each in not_taken_of_class(node_class):
        yield _told(node_class.title, each)


def _told(title: str, found: NotTaken) -> Draft:
    return fail(
        found.place,
        f"{title} is not taken as it is: {found.says}",
        is_=found.is_,
        should=found.should,
        cause=_REFUSED if found.is_refused else _DROPPED,
        remedy="write it as this version takes it, and see: kubectl apply --dry-run=server -f the file",
        severity=Severity.ERROR if found.is_refused else Severity.WARNING,
    )
