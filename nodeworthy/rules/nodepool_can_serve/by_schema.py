"""Whether the API server takes the NodePool and its class at all, and Karpenter knows what the pool chooses by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool, name_by_karpenter
from nodeworthy.records import dataclass
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip

_REFUSED = "the API server refuses it, and what was there before stays: nothing starts nodes as this file says"
_DROPPED = "kubectl refuses the object for it (unknown field); where another program applies it, the field is dropped"


@RULE.check
def the_pool_is_taken(pool: KarpenterPool) -> Findings:
    for each in not_taken_of_pool(pool):
        yield _draft_of_field(pool.title, each)


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
        yield _draft_of_field(node_class.title, each)


def _draft_of_field(title: str, found: NotTaken) -> Draft:
    return fail(
        found.place,
        f"{title} is not taken as it is: {found.says}",
        is_=found.is_,
        should=found.should,
        cause=_REFUSED if found.is_refused else _DROPPED,
        remedy="write it as this version takes it, and see: kubectl apply --dry-run=server -f the file",
        severity=Severity.ERROR if found.is_refused else Severity.WARNING,
    )


# What a version of Karpenter's API does not take: the API server refuses the object, or drops the field.
#
# v1 has fewer fields than v1beta1 had, at other places, and other words. Who changes `apiVersion` alone carries over
# what one of the two takes and the other refuses.


_POOL_V1, _POOL_V1BETA1 = "karpenter.sh/v1", "karpenter.sh/v1beta1"
_CLASS_V1 = "karpenter.k8s.aws/v1"
# What amiFamily has to be beside an alias; or none, or Custom (ec2nodeclass.go of v1).
_FAMILIES = {"al2": "AL2", "al2023": "AL2023", "bottlerocket": "Bottlerocket"}
_CUSTOM = "Custom"
_OF_A_TAINT = ("key", "value", "effect", "timeAdded")
_OF_NODES = ("taints", "startupTaints", "requirements", "nodeClassRef", "terminationGracePeriod", "expireAfter")
# Where v1 has what stood here before it.
_MOVED: Mapping[str, str] = {
    "kubelet": "spec.kubelet of the EC2NodeClass",
    "expireAfter": "spec.template.spec.expireAfter",
}
_EMPTY_OR_UNDERUSED, _UNDERUSED, _EMPTY = "WhenEmptyOrUnderutilized", "WhenUnderutilized", "WhenEmpty"


@dataclass(frozen=True)
class NotTaken:
    place: Place
    # As it goes on behind the object's title.
    says: str
    is_: str
    should: str
    # Whether an API server refuses it whatever applies it; a field that it does not have it only drops where nobody
    # asks for strictness, as kubectl does.
    is_refused: bool = True


def not_taken_of_pool(pool: KarpenterPool) -> Iterator[NotTaken]:
    version, disruption = pool.tree.get("apiVersion").text, pool.tree.get("spec", "disruption")
    if version == _POOL_V1:
        yield from _not_of_v1(pool, disruption)
    elif version == _POOL_V1BETA1 and disruption.is_mapping:
        yield from _not_of_v1beta1(disruption)


def _not_of_v1beta1(disruption: Tree) -> Iterator[NotTaken]:
    """Its CRD's own words: consolidateAfter must be specified with WhenEmpty, and can't be combined with the other
    policy, which it takes where none is said."""
    policy, after = disruption.get("consolidationPolicy"), disruption.get("consolidateAfter")
    if policy.text == _EMPTY_OR_UNDERUSED:
        yield NotTaken(policy.place, "v1beta1 has no such consolidationPolicy", _EMPTY_OR_UNDERUSED, _UNDERUSED)
    elif policy.text == _EMPTY and after.is_absent:
        says = "with WhenEmpty, v1beta1 asks for consolidateAfter"
        yield NotTaken(policy.place, says, "no consolidateAfter", "consolidateAfter: 30s, or Never")
    elif (policy.text == _UNDERUSED or policy.is_absent) and after.text not in (None, "Never"):
        says = "v1beta1 takes consolidateAfter beside WhenEmpty alone"
        yield NotTaken(
            after.key or after.place, says, f"consolidateAfter: {after.text}", "no consolidateAfter, or Never"
        )


def _not_of_v1(pool: KarpenterPool, disruption: Tree) -> Iterator[NotTaken]:
    spec = pool.tree.get("spec", "template", "spec")
    yield from _of_reference(spec.get("nodeClassRef"))
    yield from _of_disruption(disruption)
    for name, tree in spec.mapping.items():
        if name not in _OF_NODES:
            yield _no_field(tree, name, "spec.template.spec")
    for kind in ("taints", "startupTaints"):
        for taint in pool.taints(kind):
            yield from (_no_field(tree, name, "a taint") for name, tree in taint.mapping.items() if _is_none(name))


def _is_none(name: str) -> bool:
    return name not in _OF_A_TAINT


def _no_field(tree: Tree, name: str, holder: str) -> NotTaken:
    moved = _MOVED.get(name)
    should = f"it stands in {moved}" if moved else "no such field"
    return NotTaken(tree.key or tree.place, f"{holder} has no {name}", name, should, is_refused=False)


def _of_reference(reference: Tree) -> Iterator[NotTaken]:
    group, before = reference.get("group"), reference.get("apiVersion")
    if not reference.is_mapping or not group.is_absent:
        return
    said = before.text or ""
    means = said.rpartition("/")[0] or "karpenter.k8s.aws"
    place = before.key or before.place if not before.is_absent else reference.place
    is_ = f"apiVersion: {said}" if said else "no group"
    yield NotTaken(place, "its nodeClassRef names no group, which v1 asks for", is_, f"group: {means}")


def _of_disruption(disruption: Tree) -> Iterator[NotTaken]:
    if not disruption.is_mapping or not disruption.mapping:
        return
    policy, expires = disruption.get("consolidationPolicy"), disruption.get("expireAfter")
    if policy.text == _UNDERUSED:
        yield NotTaken(policy.place, "v1 has no such consolidationPolicy", _UNDERUSED, _EMPTY_OR_UNDERUSED)
    if disruption.get("consolidateAfter").is_absent:
        says = "its disruption lacks consolidateAfter, which v1 asks for"
        yield NotTaken(disruption.key or disruption.place, says, "no consolidateAfter", "consolidateAfter: 0s")
    if not expires.is_absent:
        yield _no_field(expires, "expireAfter", "spec.disruption")


def is_of_v1(node_class: KarpenterClass) -> bool:
    return node_class.tree.get("apiVersion").text == _CLASS_V1


def not_taken_of_class(node_class: KarpenterClass) -> Iterator[NotTaken]:
    spec = node_class.tree.get("spec")
    terms, family = spec.get("amiSelectorTerms"), spec.get("amiFamily")
    yield from _of_who_it_is(spec)
    if terms.sequence:
        yield from _of_images(terms, family)
    elif _is_whole(spec) and (terms.is_absent or terms.is_sequence):
        says = "it chooses no images, which v1 asks for"
        at = family.key or spec.key or spec.place
        yield NotTaken(at, says, "no amiSelectorTerms", "amiSelectorTerms: [{alias: al2023@v20260701}], of a release")


def _is_whole(spec: Tree) -> bool:
    """And no part of one, which is laid over another file's."""
    selectors = (spec.get(f"{name}SelectorTerms") for name in ("subnet", "securityGroup"))
    is_patch = "patch" in PurePath(spec.place.path or "").name
    return not is_patch and why_incomplete(spec) is None and all(each.sequence for each in selectors)


def _of_who_it_is(spec: Tree) -> Iterator[NotTaken]:
    role, profile = spec.get("role"), spec.get("instanceProfile")
    one = "exactly one of role and instanceProfile"
    if not role.is_absent and not profile.is_absent:
        says = "it names a role and an instanceProfile"
        yield NotTaken(profile.key or profile.place, says, "role and instanceProfile", one)
    elif role.is_absent and profile.is_absent and _is_whole(spec):
        says = "it names neither a role nor an instanceProfile"
        yield NotTaken(spec.key or spec.place, says, "neither of them", one)


def _of_images(terms: Tree, family: Tree) -> Iterator[NotTaken]:
    """An image by its id or name says nothing of the family, by which Karpenter writes the user data."""
    named = [each.get("alias") for each in terms.sequence if not each.get("alias").is_absent]
    if family.is_absent and all(map(_names_none, terms.sequence)):
        says = "it chooses images by no alias, and names no amiFamily"
        yield NotTaken(terms.key or terms.place, says, "no amiFamily", "amiFamily: AL2023, or Custom")
    if named and len(terms.sequence) > 1:
        says = "an alias stands beside other terms, and v1 takes it alone"
        yield NotTaken(named[0].key or named[0].place, says, f"{len(terms.sequence)} terms", "the alias alone, or none")
    of_alias = {_FAMILIES.get((each.text or "").partition("@")[0], "") for each in named}
    if (
        len(of_alias) == 1
        and family.text is not None
        and family.text not in (*of_alias, _CUSTOM)
        and "" not in of_alias
    ):
        says = f"its alias is of {min(of_alias)}, and its amiFamily another"
        yield NotTaken(family.place, says, f"amiFamily: {family.text}", f"amiFamily: {min(of_alias)}, or none")


def _names_none(term: Tree) -> bool:
    return term.is_mapping and term.get("alias").is_absent
