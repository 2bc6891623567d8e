"""Whether there is a type of EC2 that is all of what a NodePool of Karpenter's requires."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.karpenter import KarpenterPool
from nodeworthy.facts.fleet.served_pods import NodePools
from nodeworthy.facts.pod.containers import GPU
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import (
    gpus_of,
    has_gpus,
    instance_types,
    is_a_part_of_one,
    is_arm,
    may_be_newer,
    named_parts,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Findings, Related, Severity, fail, skip

_OWN = "karpenter.k8s.aws/"
_NO_COUNT = (
    "EC2 counts no whole GPU of them, and Karpenter goes by its count: it starts none for a pod that asks for "
    f"{GPU} (no instance type satisfied resources), and the pod stays Pending"
)
_WHOLE = (
    "require g6 (an L4) or another family with whole GPUs; machines with a part of one are for a node group of EKS or "
    "an ASG"
)
_NUMBER = pattern(r"\d{1,9}")
_COMPARES: Mapping[str, Callable[[int, int], bool]] = {
    "Gt": lambda has, wanted: has > wanted,
    "Gte": lambda has, wanted: has >= wanted,
    "Lt": lambda has, wanted: has < wanted,
    "Lte": lambda has, wanted: has <= wanted,
}


@dataclass(frozen=True, eq=False)
class _Required:
    key: str
    operator: str
    values: Sequence[Tree]

    @property
    def place(self) -> Tree:
        return self.values[0]

    @property
    def shown(self) -> str:
        words = " or ".join(each.string for each in self.values)
        return f"{self.key}: {words}" if self.operator == "In" else f"{self.key} {self.operator} {words}"

    def allows(self, kind: str) -> bool:
        """What is not known of a type may be as it is wanted."""
        has = _OF_A_TYPE[self.key](kind)
        wanted = [each.string for each in self.values]
        if has is None:
            return True
        if self.operator == "In":
            return has in wanted
        if self.operator == "NotIn":
            return has not in wanted
        return _COMPARES[self.operator](int(has), int(wanted[0]))


@RULE.check
def a_type_is_all_of_it(pool: KarpenterPool) -> Findings:
    """Two requirements that no type meets together; one that none meets by itself is told by its own check."""
    if pool.tree.get("spec", "template", "spec", "nodeClassRef", "kind").text not in ("EC2NodeClass", "NodeClass"):
        skip("its nodes are not EC2's")
    required = [each for each in map(_required, pool.requirements) if each is not None]
    allowed = {id(each): frozenset(filter(each.allows, instance_types())) for each in required}
    if not all(allowed.values()) or any(map(_may_be_unknown, required)):
        skip("what it requires may be types that are too new for the list")
    for one, other in combinations(required, 2):
        if allowed[id(one)].isdisjoint(allowed[id(other)]):
            yield fail(
                other.place.located(),
                f"{pool.title} requires what no instance type is at once",
                is_=f"{one.shown}, and {other.shown}",
                should=_should(other, allowed[id(one)]),
                related=[Related(one.place.place, f"it requires {one.shown}, too")],
                cause="all requirements hold together: no instance type satisfies them, and Karpenter starts no node "
                "for any pod",
                remedy="change one of the two, or leave it out: aws ec2 describe-instance-types shows what there is",
                link="pod",
            )
            return


@RULE.check
def its_types_have_whole_gpus(pod: PodTemplate, around: NodePools) -> Findings:
    if pod.live is not None or GPU not in pod.gpu_resources:
        skip("it asks for no GPU, or is one of a cluster, where pending-explained says why it waits")
    meant = around.meant_for(pod)
    parts = [each for pool in meant if (each := _of_parts(pool)) is not None]
    if meant and len(parts) == len(meant):
        yield fail(
            parts[0].place.located(),
            f"{meant[0].title} may start only machines with a part of a GPU, and {pod.title} asks for {GPU}",
            is_=parts[0].shown,
            should="a family with whole GPUs (g6, g6e)",
            related=[Related(pod.place, f"{pod.title} asks for {GPU} here")],
            cause=_NO_COUNT,
            remedy=_WHOLE,
            link="pod",
        )


@RULE.check
def a_pool_for_gpus_has_whole_ones(pool: KarpenterPool, pod: PodTemplate | None) -> Findings:
    """Its limit of GPUs, or the taint of nodes with GPUs, says what it is for; who asks for them is not here."""
    if pod is not None and GPU in pod.gpu_resources:
        skip("with the pods that ask for its GPUs it is judged")
    limit = pool.tree.get("spec", "limits", GPU)
    says = [limit, *(each for each in pool.taints("taints") if each.get("key").text == GPU)]
    parts, for_gpus = _of_parts(pool), next((each for each in says if not each.is_absent), None)
    if parts is None or for_gpus is None:
        skip("it may start others than machines with a part of a GPU, or does not say that it is for GPUs")
    yield fail(
        parts.place.located(),
        f"{pool.title} is for pods that ask for {GPU}, and may start only machines with a part of a GPU",
        is_=parts.shown,
        should="a family with whole GPUs (g6, g6e)",
        related=[Related(for_gpus.place, f"it speaks of {GPU} here")],
        cause=_NO_COUNT,
        remedy=_WHOLE,
        severity=Severity.WARNING,
        link="pod",
    )


def _of_parts(pool: KarpenterPool) -> _Required | None:
    """What limits the pool to machines with a part of a GPU."""
    if pool.tree.get("spec", "template", "spec", "nodeClassRef", "kind").text != "EC2NodeClass":
        return None
    required = (each for each in map(_required, pool.requirements) if each is not None and each.operator == "In")
    by_name = (each for each in required if each.key in (f"{_OWN}instance-family", "node.kubernetes.io/instance-type"))
    return next((each for each in by_name if all(is_a_part_of_one(name.string) for name in each.values)), None)


def _should(other: _Required, kinds: frozenset[str]) -> str:
    with_gpus = frozenset(filter(has_gpus, kinds)) or kinds
    has = sorted({found for each in with_gpus if (found := _OF_A_TYPE[other.key](each)) is not None})
    return f"{other.key}: {' or '.join(has[:6])}"


def _required(asked: tuple[str, str, Sequence[Tree]]) -> _Required | None:
    """What can be compared with what is known of types."""
    key, operator, values = asked
    is_number = len(values) == 1 and _NUMBER.fullmatch(values[0].string) is not None
    is_compared = operator in ("In", "NotIn") or (operator in _COMPARES and is_number)
    return _Required(key, operator, values) if values and key in _OF_A_TYPE and is_compared else None


def _may_be_unknown(required: _Required) -> bool:
    names = [each.string for each in required.values]
    if any("{" in name or "$" in name for name in names):
        return True
    if required.key == f"{_OWN}instance-family":
        return any(may_be_newer(f"{name}.large") or not _is_family(name) for name in names)
    return required.key == "node.kubernetes.io/instance-type" and not instance_types().issuperset(names)


def _is_family(name: str) -> bool:
    return any(each.startswith(f"{name}.") for each in instance_types())


def _part(index: int) -> Callable[[str], str | None]:
    def of(kind: str) -> str | None:
        parts = named_parts(kind)
        return parts[index] if parts is not None else None

    return of


def _architecture(kind: str) -> str | None:
    arm = is_arm(kind)
    return None if arm is None else "arm64" if arm else "amd64"


def _gpu_name(kind: str) -> str | None:
    has = gpus_of(kind)
    if has is None:
        return None if has_gpus(kind) else ""
    return has.gpu.lower() if gpu_named(has.gpu) is not None else None


def _gpu_count(kind: str) -> str | None:
    has = gpus_of(kind)
    if has is None:
        return None if has_gpus(kind) else "0"
    return str(has.count)


_OF_A_TYPE: Mapping[str, Callable[[str], str | None]] = {
    "kubernetes.io/arch": _architecture,
    "node.kubernetes.io/instance-type": lambda kind: kind,
    f"{_OWN}instance-category": _part(0),
    f"{_OWN}instance-generation": _part(1),
    f"{_OWN}instance-family": lambda kind: kind.partition(".")[0],
    f"{_OWN}instance-size": lambda kind: kind.partition(".")[2],
    f"{_OWN}instance-gpu-name": _gpu_name,
    f"{_OWN}instance-gpu-count": _gpu_count,
}
