"""Whether the API server takes the NodePool and its class at all, and Karpenter knows what the pool chooses by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePath

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool, MisplacedNodes, name_by_the_other
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import families_beginning, is_no_family, named_parts
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail, skip

# As EKS calls its images; behind what each of them has the version.
_OF_EKS = pattern(r"amazon-eks-|bottlerocket-aws-k8s-|ubuntu-eks/")
_MINOR = pattern(r"1[.?]\d\d")
_REFUSED = "the API server refuses it, and what was there before stays: nothing starts nodes as this file says"
_DROPPED = "kubectl refuses the object for it (unknown field); where another program applies it, the field is dropped"


@RULE.check
def the_pool_is_taken(pool: KarpenterPool) -> Findings:
    for each in not_taken_of_pool(pool):
        yield _draft_of_field(pool.title, each)


@RULE.check
def its_image_is_of_its_clusters_version(node_class: KarpenterClass) -> Findings:
    """A name that leaves the version open means all of them, and the newest image of any is the newest of all."""
    for term in node_class.tree.get("spec", "amiSelectorTerms").sequence:
        name = term.get("name")
        if _OF_EKS.match(name.string) and "*" in name.string and not _MINOR.search(name.string):
            yield fail(
                name.located(),
                f"{node_class.title} takes the newest image of any version of Kubernetes, and not of its cluster's",
                is_=name.string,
                should="an alias (al2023@v20260701, bottlerocket@v1.50.0), or the version in the name: …-1.34-*",
                cause="of all images of this name Karpenter takes the newest, and EKS makes them for every version: "
                "kubelet is older or newer than the API server, and a node may not join",
                remedy="take an alias, by which Karpenter asks for the images of the cluster's own version",
                severity=Severity.WARNING,
            )


@RULE.check
def it_chooses_by_what_its_nodes_are(pool: KarpenterPool) -> Findings:
    found = pool.keys_of_another
    if not found:
        return
    first, *others = found
    key = first.string
    own, foreign = "an EC2NodeClass", "a NodeClass of Auto Mode's"
    if pool.auto_mode is None:
        starts, whose, of_, other = "Karpenter", "Auto Mode's", own, foreign
    else:
        starts, whose, of_, other = "Auto Mode", "Karpenter's own", foreign, own
    yield fail(
        first,
        f"{pool.title} chooses by {key}, which is {whose}: of {of_} it limits nothing",
        is_=key,
        should=name_by_the_other(key),
        related=[Related(each.place, f"{each.text} is {whose}, too") for each in others],
        cause=f"{starts} takes it for a label of your own, and writes it onto whatever node it starts: the cheapest of "
        "all types that have room for the pod",
        remedy=f"write {name_by_the_other(key)}, or let the pool be of {other}",
        severity=Severity.WARNING,
    )


@RULE.check
def it_chooses_families_that_there_are(pool: KarpenterPool) -> Findings:
    """One that there is not takes nothing away from the others; alone, it starts nothing."""
    for key, operator, values in pool.requirements:
        none = [each for each in values if each.text is not None and is_no_family(each.text)]
        if operator == "In" and key.endswith("/instance-family") and none:
            first, *others = none
            yield fail(
                first,
                f"{pool.title} asks for instances of a family that does not exist",
                is_=f"{key}: {first.text}",
                should=_families_like(first.string),
                related=[Related(each.place, f"nor is there a family {each.text}") for each in others],
                cause="Karpenter takes it for a word of yours: no type is of this family, and none is started for it",
                remedy="name the family before the dot of a type: `aws ec2 describe-instance-types`",
                severity=Severity.ERROR if len(none) == len(values) else Severity.WARNING,
            )


def _families_like(name: str) -> str:
    """p4 is what the names of p4d and p4de begin with."""
    like = families_beginning(name.partition(".")[0])
    return " or ".join(like) if like else "a family of EC2's types"


@RULE.check
def it_asks_in_karpenters_words(pool: KarpenterPool) -> Findings:
    for requirement in pool.tree.get("spec", "template", "spec", "requirements").sequence:
        operator = requirement.get("operator")
        if operator.text is not None and operator.text not in _OPERATORS:
            yield _draft_of_field(
                pool.title,
                NotTaken(
                    operator.place,
                    "its requirement has another operator than there are",
                    operator.text,
                    " or ".join(_OPERATORS),
                ),
            )
        for value in requirement.get("values").sequence:
            if isinstance(value.value, int | float):
                says = "its requirement names a value that is no text"
                yield _draft_of_field(
                    pool.title, NotTaken(value.place, says, f"{value.value} ({value.kind()})", f'"{value.value}"')
                )
    for found in _of_taints(pool):
        yield _draft_of_field(pool.title, found)


def _of_taints(pool: KarpenterPool) -> Iterator[NotTaken]:
    for taint in (*pool.taints("taints"), *pool.taints("startupTaints")):
        effect, value = taint.get("effect"), taint.get("value")
        meant = _AS_EKS_WRITES.get(effect.string) or _nearest_effect(effect.text)
        if effect.text is not None and meant is not None:
            yield NotTaken(effect.place, "its taint has another effect than there are", effect.text, meant)
        if isinstance(value.value, bool | int | float):
            written = value.written or str(value.value)
            yield NotTaken(
                value.place, "its taint has a value that is no text", f"{written} ({value.kind()})", f'"{written}"'
            )


def _nearest_effect(effect: str | None) -> str | None:
    """What is filled in later may be one of them."""
    if effect is None or effect in _EFFECTS or not effect.isalpha():
        return None
    return next(iter(get_close_matches(effect, _EFFECTS, n=1, cutoff=0.5)), " or ".join(_EFFECTS))


@RULE.check
def it_chooses_by_values_that_nodes_have(pool: KarpenterPool) -> Findings:
    """Where none of the values is one that a node ever has, the pool starts nothing."""
    for key, operator, values in pool.requirements:
        told = [(each, values_meant(key, each.text)) for each in values if each.text is not None]
        wrong = [(each, meant) for each, meant in told if meant]
        if operator == "In" and wrong and len(wrong) == len(values):
            first, meant = wrong[0]
            yield fail(
                first,
                f"{pool.title} asks for instances by a value that none has",
                is_=f"{key}: {first.text}",
                should=meant,
                cause="Karpenter compares it letter by letter: no type fits, and the pool never starts a node",
                remedy=f"write {meant}",
            )


def values_meant(key: str, value: str) -> str | None:
    """What a value is to be that is written as nodes never have it; None where it may be theirs."""
    name = key.rpartition("/")[2]
    plain = value.lower().replace("_", "-")
    if key == "karpenter.sh/capacity-type":
        known = {each.replace("-", ""): each for each in ("on-demand", "spot", "reserved")}
        meant = known.get(plain.replace("-", ""))
        return meant if meant != value else None
    if key == "kubernetes.io/arch":
        meant = _ARCHITECTURES.get(plain)
        return meant if meant != value else None
    if name == "instance-category":
        parts = named_parts(f"{plain}.large")
        return f"{parts[0]}, or instance-family: {value}" if parts is not None else None
    if name == "instance-gpu-manufacturer":
        return plain if plain != value and plain in ("nvidia", "amd") else None
    if name == "instance-gpu-name":
        bare = plain.removeprefix("nvidia-").removeprefix("tesla-")
        return bare if bare != value and gpu_named(bare) is not None else None
    if key == "topology.kubernetes.io/zone":
        return f"a zone of it: {value}a" if _REGION.fullmatch(value) else None
    return None


@RULE.check
def it_is_of_a_kind_that_there_is(misplaced: MisplacedNodes) -> Findings:
    yield fail(
        misplaced,
        f"the API server refuses this: there is no {misplaced.kind} in {misplaced.version.text}",
        is_=f"{misplaced.version.text}, {misplaced.kind}",
        should=misplaced.should,
        cause=f'no matches for kind "{misplaced.kind}" in version "{misplaced.version.text}": no node is started by it',
        remedy=f"write {misplaced.should}",
    )


@RULE.check
def its_volumes_can_be(node_class: KarpenterClass) -> Findings:
    for each in node_class.tree.get("spec", "blockDeviceMappings").sequence:
        for name, tree, least in too_little(each.get("ebs")):
            yield fail(
                tree,
                f"{node_class.title} asks for a volume that EC2 does not make",
                is_=f"{name}: {tree.value}",
                should=f"{name}: {least} or more, or no {name}: then it is {least}",
                cause="EC2 refuses to start any instance with it (InvalidParameterValue), and no node comes",
                remedy=f"leave {name} out, or write {least} or more",
            )


def too_little(ebs: Tree) -> Iterator[tuple[str, Tree, int]]:
    """What a gp3 has at the least, whatever its size."""
    if ebs.get("volumeType").text == "gp3":
        for name, least in _LEAST_OF_GP3.items():
            tree = ebs.get(name)
            if isinstance(tree.value, int) and not isinstance(tree.value, bool) and tree.value < least:
                yield name, tree, least


@RULE.check
def its_class_is_taken(node_class: KarpenterClass) -> Findings:
    version = node_class.tree.get("apiVersion").string
    if version not in _AMI_FAMILIES:
        skip("it is of another version than v1, and the one before")
    for each in not_taken_of_class(node_class) if version == _CLASS_V1 else family_not_taken(node_class):
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
# What amiFamily may be, by the version of the class. Source: karpenter-provider-aws, pkg/apis/v1/ec2nodeclass.go, and
# of v0.37 pkg/apis/v1beta1/ec2nodeclass.go (the words of a kubebuilder enum).
_OF_BOTH = ("AL2023", "AL2", "Bottlerocket", "Windows2019", "Windows2022", _CUSTOM)
_AMI_FAMILIES: Mapping[str, Sequence[str]] = {
    _CLASS_V1: (*_OF_BOTH, "Windows2025"),
    "karpenter.k8s.aws/v1beta1": (*_OF_BOTH, "Ubuntu"),
}
_OF_A_TAINT = ("key", "value", "effect", "timeAdded")
_OF_NODES = ("taints", "startupTaints", "requirements", "nodeClassRef", "terminationGracePeriod", "expireAfter")
# Where v1 has what stood here before it.
_MOVED: Mapping[str, str] = {
    "kubelet": "spec.kubelet of the EC2NodeClass",
    "expireAfter": "spec.template.spec.expireAfter",
}
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")
_AS_EKS_WRITES = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
_ARCHITECTURES: Mapping[str, str] = {
    **dict.fromkeys(("amd64", "x86-64", "x86", "x64"), "amd64"),
    **dict.fromkeys(("arm64", "aarch64", "arm"), "arm64"),
}
_REGION = pattern(r"[a-z]{2}(?:-[a-z]{3,10}){1,2}-\d")
# Amazon EBS, "General Purpose SSD volumes": 3,000 IOPS and 125 MiB/s come with every gp3, and are the least.
_LEAST_OF_GP3: Mapping[str, int] = {"iops": 3000, "throughput": 125}
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
    elif version == _POOL_V1BETA1:
        yield from _no_fields_of_taints(pool)
        if disruption.is_mapping:
            yield from _not_of_v1beta1(disruption)


def _not_of_v1beta1(disruption: Tree) -> Iterator[NotTaken]:
    """What v1beta1 refuses, in its CRD's own words: consolidateAfter must be specified with WhenEmpty, and cannot be
    combined with the other policy, which is the default."""
    policy, after = disruption.get("consolidationPolicy"), disruption.get("consolidateAfter")
    if policy.text == _EMPTY_OR_UNDERUSED:
        yield NotTaken(policy.place, "v1beta1 has no such consolidationPolicy", _EMPTY_OR_UNDERUSED, _UNDERUSED)
    elif policy.text == _EMPTY and after.is_absent:
        says = "with WhenEmpty, v1beta1 asks for consolidateAfter"
        yield NotTaken(policy.place, says, "no consolidateAfter", "consolidateAfter: 30s, or Never")
    elif (policy.text == _UNDERUSED or policy.is_absent) and after.text not in (None, "Never"):
        says = "v1beta1 takes consolidateAfter beside WhenEmpty alone"
        yield NotTaken(after.heading, says, f"consolidateAfter: {after.text}", "no consolidateAfter, or Never")


def _not_of_v1(pool: KarpenterPool, disruption: Tree) -> Iterator[NotTaken]:
    spec = pool.tree.get("spec", "template", "spec")
    yield from _of_reference(spec.get("nodeClassRef"))
    yield from _of_disruption(disruption)
    for name, tree in spec.mapping.items():
        if name not in _OF_NODES:
            yield _no_field(tree, name, "spec.template.spec")
    yield from _no_fields_of_taints(pool)


def _no_fields_of_taints(pool: KarpenterPool) -> Iterator[NotTaken]:
    for taint in (*pool.taints("taints"), *pool.taints("startupTaints")):
        yield from (_no_field(tree, name, "a taint") for name, tree in taint.mapping.items() if _is_none(name))


def _is_none(name: str) -> bool:
    return name not in _OF_A_TAINT


def _no_field(tree: Tree, name: str, holder: str) -> NotTaken:
    moved = _MOVED.get(name)
    should = f"it stands in {moved}" if moved else "no such field"
    return NotTaken(tree.heading, f"{holder} has no {name}", name, should, is_refused=False)


def _of_reference(reference: Tree) -> Iterator[NotTaken]:
    group, before = reference.get("group"), reference.get("apiVersion")
    if not reference.is_mapping or not group.is_absent:
        return
    said = before.string
    means = said.rpartition("/")[0] or "karpenter.k8s.aws"
    place = before.heading if not before.is_absent else reference.place
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
        yield NotTaken(disruption.heading, says, "no consolidateAfter", "consolidateAfter: 0s")
    if not expires.is_absent:
        yield _no_field(expires, "expireAfter", "spec.disruption")


def not_taken_of_class(node_class: KarpenterClass) -> Iterator[NotTaken]:
    spec = node_class.tree.get("spec")
    terms, family = spec.get("amiSelectorTerms"), spec.get("amiFamily")
    yield from _of_who_it_is(spec)
    yield from family_not_taken(node_class)
    if terms.sequence:
        yield from _of_images(terms, family)
    elif _is_whole(spec) and (terms.is_absent or terms.is_sequence):
        says = "it chooses no images, which v1 asks for"
        at = family.key or spec.heading
        yield NotTaken(at, says, "no amiSelectorTerms", "amiSelectorTerms: [{alias: al2023@v20260701}], of a release")


def family_not_taken(node_class: KarpenterClass) -> Iterator[NotTaken]:
    """What is filled in later may be one of them."""
    version, family = node_class.tree.get("apiVersion").string, node_class.tree.get("spec", "amiFamily")
    named, known = family.string, _AMI_FAMILIES.get(version, ())
    if not known or named in known or not named.replace("_", "").isalnum():
        return
    begins = named.lower().replace("amazonlinux", "al")
    meant = next((each for each in known if begins.startswith(each.lower())), _CUSTOM)
    says = f"{version.rpartition('/')[2]} has no such amiFamily"
    yield NotTaken(family.place, says, f"amiFamily: {named}", f"amiFamily: {meant}")


def _is_whole(spec: Tree) -> bool:
    """And no part of one, which is laid over another file's."""
    selectors = (spec.get(f"{name}SelectorTerms") for name in ("subnet", "securityGroup"))
    is_patch = "patch" in PurePath(spec.place.file).name
    return not is_patch and why_incomplete(spec) is None and all(each.sequence for each in selectors)


def _of_who_it_is(spec: Tree) -> Iterator[NotTaken]:
    role, profile = spec.get("role"), spec.get("instanceProfile")
    one = "exactly one of role and instanceProfile"
    if spec.is_unknown:
        return
    if not role.is_absent and not profile.is_absent:
        says = "it names a role and an instanceProfile"
        yield NotTaken(profile.heading, says, "role and instanceProfile", one)
    elif role.is_absent and profile.is_absent and _is_whole(spec):
        says = "it names neither a role nor an instanceProfile"
        yield NotTaken(spec.heading, says, "neither of them", one)


def _of_images(terms: Tree, family: Tree) -> Iterator[NotTaken]:
    """An image by its id or name says nothing of the family, by which Karpenter writes the user data."""
    named = [each.get("alias") for each in terms.sequence if not each.get("alias").is_absent]
    if family.is_absent and all(map(_names_none, terms.sequence)):
        says = "it chooses images by no alias, and names no amiFamily"
        yield NotTaken(terms.heading, says, "no amiFamily", "amiFamily: AL2023, or Custom")
    if named and len(terms.sequence) > 1:
        says = "an alias stands beside other terms, and v1 takes it alone"
        yield NotTaken(named[0].heading, says, f"{len(terms.sequence)} terms", "the alias alone, or none")
    of_alias = {_FAMILIES.get(each.string.partition("@")[0], "") for each in named}
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
