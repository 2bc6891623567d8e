"""The GPU nodes that Karpenter starts: what a NodePool requires, and the image that its EC2NodeClass chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.known.ami_families import of_karpenter
from nodeworthy.known.instances import gpus_of, is_gpu_family
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_CLASS_API, _POOL_API = "karpenter.k8s.aws/", "karpenter.sh/"
# Of the categories of EC2's types, those of which every current one has GPUs of NVIDIA or is asked for as if it had.
_GPU_CATEGORIES = frozenset({"g", "p"})


@dataclass(frozen=True)
class KarpenterPool:
    """A NodePool that asks for instances with GPUs."""

    called: ClassVar[str] = "a NodePool of Karpenter's with GPUs"

    name: str
    place: Place
    node_class: str


@dataclass(frozen=True, eq=False)
class KarpenterClass:
    """An EC2NodeClass."""

    called: ClassVar[str] = "an EC2NodeClass of Karpenter's"

    name: str
    place: Place
    tree: Tree

    def nodes(self, pool: KarpenterPool) -> AskedNodes | None:
        """None where it is of another class, or the image may be anybody's."""
        if pool.node_class != self.name:
            return None
        spec = self.tree.get("spec")
        terms = spec.get("amiSelectorTerms").sequence
        alias = next((each.get("alias") for each in terms if each.get("alias").text is not None), None)
        said = alias if alias is not None else spec.get("amiFamily")
        family = of_karpenter(said.text) if said.text is not None else None
        if family is None:
            return None
        own = alias is None and bool(terms)
        written = f"{'amiFamily' if alias is None else 'alias'} {said.text}"
        return AskedNodes(pool.name, "NodePool", pool.place, family, said.place, written, own)

    @property
    def title(self) -> str:
        return f"EC2NodeClass '{self.name}'"

    @cached_property
    def script(self) -> BootScript | None:
        """What its nodes run before Karpenter has them join. What reads scripts is imported only where there is one."""
        from nodeworthy.boot.origin import Folded, Straight
        from nodeworthy.boot.unpack import unpack

        text = self.tree.get("spec", "userData")
        if text.text is None:
            return None
        inside = text.inside
        origin = Straight(inside) if inside is not None else Folded(text.place, "the user data")
        place = inside if inside is not None else text.place
        read = unpack(text.text.encode(), place, template=False, origin=origin)
        return BootScript(place, read, of_an_object=True)


def karpenter(document: Tree) -> Iterator[KarpenterPool | KarpenterClass]:
    api, kind = document.get("apiVersion").text or "", document.get("kind").text
    name = document.get("metadata", "name").text or ""
    if kind == "EC2NodeClass" and api.startswith(_CLASS_API) and name:
        yield KarpenterClass(name, document.place, document)
    elif kind == "NodePool" and api.startswith(_POOL_API) and name:
        spec = document.get("spec", "template", "spec")
        node_class = spec.get("nodeClassRef", "name").text
        if node_class is not None and any(map(_asks_for_gpus, spec.get("requirements").sequence)):
            yield KarpenterPool(name, document.place, node_class)


def nodes_of_karpenter(facts: Iterable[object]) -> Iterator[AskedNodes]:
    """Of the pools whose class lies beside them."""
    every = list(facts)
    classes = {each.name: each for each in every if isinstance(each, KarpenterClass)}
    for pool in (each for each in every if isinstance(each, KarpenterPool)):
        found = classes.get(pool.node_class)
        nodes = found.nodes(pool) if found is not None else None
        if nodes is not None:
            yield nodes


def _asks_for_gpus(requirement: Tree) -> bool:
    asks = _ASKS.get(requirement.get("key").text or "")
    values = [each.text for each in requirement.get("values").sequence if each.text is not None]
    return asks is not None and asks(requirement.get("operator").text or "", values)


def _in(is_one: Callable[[str], bool]) -> Callable[[str, Sequence[str]], bool]:
    return lambda operator, values: operator == "In" and any(map(is_one, values))


def _named(operator: str, values: Sequence[str]) -> bool:
    return operator == "Exists" or (operator == "In" and bool(values))


def _counted(operator: str, values: Sequence[str]) -> bool:
    return operator in ("Gt", "Exists") or (operator == "In" and any(each != "0" for each in values))


def _only_gpu_categories(operator: str, values: Sequence[str]) -> bool:
    return operator == "In" and bool(values) and _GPU_CATEGORIES.issuperset(values)


_ASKS: Mapping[str, Callable[[str, Sequence[str]], bool]] = {
    "node.kubernetes.io/instance-type": _in(lambda one: gpus_of(one) is not None),
    "karpenter.k8s.aws/instance-family": _in(is_gpu_family),
    "karpenter.k8s.aws/instance-category": _only_gpu_categories,
    "karpenter.k8s.aws/instance-gpu-name": _named,
    "karpenter.k8s.aws/instance-gpu-count": _counted,
    "karpenter.k8s.aws/instance-gpu-manufacturer": _in(lambda one: one == "nvidia"),
}
