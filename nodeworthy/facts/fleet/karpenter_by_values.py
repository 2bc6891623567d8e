"""The nodes that a chart of one's own asks Karpenter for: its values list pools and classes as Karpenter has them, and
its templates do no more than write them down."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.facts.fleet.karpenter_choice import nodes_of_karpenter
from nodeworthy.facts.fleet.karpenter_objects import karpenter
from nodeworthy.records import replace

# As such charts call their lists, without capitals and what joins words.
_POOLS = ("nodepools", "karpenternodepools", "gpunodepools")
_CLASSES = ("nodeclasses", "ec2nodeclasses", "karpenternodeclasses", "gpunodeclasses")
_LISTS = frozenset((*_POOLS, *_CLASSES))
_OF_A_CLASS = ("amiFamily", "amiSelectorTerms")


def may_list_pools(values: Tree) -> bool:
    return not _LISTS.isdisjoint(_plain_name(name) for name in values.mapping)


def nodes_by_values(values: Tree) -> Iterator[AskedNodes]:
    """What is meant follows from its form: a list of requirements, each with a key and an operator. Nothing but where
    the nodes come from and what they are is taken from it: what a chart makes of the rest nobody knows."""
    classes = [each for each in map(_class_of, _entries(values, _CLASSES)) if each is not None]
    only = classes[0].get("metadata", "name").text if len(classes) == 1 else None
    pools = [each for entry in _entries(values, _POOLS) if (each := _pool_of(entry, only)) is not None]
    found = [read for each in (*classes, *pools) for read in karpenter(each)]
    yield from (replace(nodes, is_likely=True) for nodes in nodes_of_karpenter(found))


def _plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _entries(values: Tree, names: tuple[str, ...]) -> Iterator[tuple[Tree, Tree]]:
    """The name of each that is on, and what is said of it."""
    for key, said in values.mapping.items():
        if _plain_name(key) not in names:
            continue
        named = [(each.get("name"), each) for each in said.sequence]
        named += [(Tree(name, each.heading), each) for name, each in said.mapping.items()]
        yield from ((name, each) for name, each in named if name.text and each.get("enabled").value is not False)


def _class_of(entry: tuple[Tree, Tree]) -> Tree | None:
    name, said = entry
    if all(said.get(each).is_absent for each in _OF_A_CLASS):
        return None
    return _object_of("karpenter.k8s.aws/v1", "EC2NodeClass", name, said)


def _pool_of(entry: tuple[Tree, Tree], only: str | None) -> Tree | None:
    name, said = entry
    asked = said.get("requirements").sequence
    if not any(each.get("key").text and each.get("operator").text for each in asked):
        return None
    reference = said.get("nodeClassRef")
    if reference.get("name").text is None:
        named = only or name.string
        reference = Tree({"name": Tree(named, said.place)}, said.place)
    metadata = Tree({"labels": said.get("labels")}, said.place)
    spec = {"nodeClassRef": reference, "requirements": said.get("requirements"), "taints": said.get("taints")}
    template = Tree({"metadata": metadata, "spec": Tree(spec, said.place)}, said.place)
    return _object_of("karpenter.sh/v1", "NodePool", name, Tree({"template": template}, said.place))


def _object_of(api: str, kind: str, name: Tree, spec: Tree) -> Tree:
    at = spec.place
    head = {"apiVersion": Tree(api, at), "kind": Tree(kind, at), "metadata": Tree({"name": name}, at)}
    return Tree({**head, "spec": spec}, at)
