"""ClusterPolicies that Kustomize lays over others: what they leave out stands there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nodeworthy.collect.source.beside import Beside
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.policy_schema import ORIGIN
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.scene import Fact

_FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("patches", "patchesStrategicMerge")
_ELSEWHERE = "this is a patch, and what it does not say may stand in the ClusterPolicy that it changes"


def with_what_they_patch(facts: Sequence[Fact], beside: Beside) -> list[Fact]:
    """The facts; those that the folder's kustomization names among its patches as such."""
    if not any(map(_is_policy, facts)) or beside.source.path.name not in set(_patches(beside)):
        return list(facts)
    return [_patch(each) if isinstance(each, OperatorValues) else each for each in facts]


def _patch(values: OperatorValues) -> OperatorValues:
    return replace(values, elsewhere=_ELSEWHERE) if _is_policy(values) else values


def _is_policy(fact: Fact) -> bool:
    return isinstance(fact, OperatorValues) and fact.origin == ORIGIN


def _patches(beside: Beside) -> Iterator[str]:
    for name in _FILES:
        for document in beside.documents(beside.folder / name) or ():
            for each in (entry for list_ in _LISTS for entry in document.get(list_).sequence):
                yield from (_name(tree) for tree in (each, each.get("path")) if tree.text)


def _name(tree: Tree) -> str:
    return (tree.text or "").removeprefix("./")
