"""What a pod says of the nodes that it may run on: labels that it chooses, taints that it tolerates."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.documents.tree import plant
from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint
from nodeworthy.facts.pod.selection import Selection
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PATH = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"


@dataclass(frozen=True)
class Barrier:
    """A line of a pod that keeps it from a node, and what the node has instead."""

    path: str
    says: str
    instead: str


@dataclass(frozen=True)
class NodeChoice:
    """Equal for pods that may run on the same nodes: each is asked of the nodes once."""

    written: str
    spec: Mapping[str, Any] = field(compare=False)

    @cached_property
    def selection(self) -> Selection:
        return Selection(plant(self.spec, Place()))

    @cached_property
    def _wants(self) -> tuple[tuple[str, str], ...]:
        return tuple(mapping_at(self.spec, "nodeSelector").items())

    @cached_property
    def narrowed(self) -> tuple[str, tuple[str, ...]] | None:
        """One label that only has these values on its nodes, or the nodes' names (""): a DaemonSet's pods say so."""
        for label, value in self._wants:
            return label, (str(value),)
        terms = _terms(self.spec)
        if len(terms) != 1:
            return None
        for each in mappings_at(terms[0], "matchFields"):
            names = at(each, "values")
            if text_at(each, "operator") == "In" and isinstance(names, list):
                return "", tuple(map(str, names))
        return next(((each.key, each.values) for each in self.selection.terms[0] if each.operator == "In"), None)

    def takes(self, labels: Mapping[str, str], name: str) -> bool:
        if any(labels.get(key) != value for key, value in self._wants):
            return False
        terms = _terms(self.spec)
        return not terms or any(self._holds(index, term, labels, name) for index, term in enumerate(terms))

    def _holds(self, index: int, term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
        requirements = self.selection.terms[index]
        fields = mappings_at(term, "matchFields")
        if not requirements and not fields:
            return False  # an empty term chooses nothing
        named = all(name in (at(each, "values") or ()) for each in fields if text_at(each, "operator") == "In")
        return named and all(each.allows(labels.get(each.key)) for each in requirements)

    def barred(self, labels: Mapping[str, str], name: str) -> Iterator[Barrier]:
        """The labels that it chooses and this node has not. Of the terms of an affinity one has to fit."""
        for key, value in self._wants:
            if labels.get(key) != value:
                yield Barrier(f"spec.nodeSelector.{key}", f"nodeSelector {key}: {value}", _instead(labels, key))
        terms = _terms(self.spec)
        if not any(self._holds(index, term, labels, name) for index, term in enumerate(terms)):
            for index, term in enumerate(terms):
                yield from self._barred_by(index, term, labels, name)

    def _barred_by(
        self, index: int, term: Mapping[str, Any], labels: Mapping[str, str], name: str
    ) -> Iterator[Barrier]:
        path = f"{_PATH}[{index}]"
        for number, asked in enumerate(self.selection.terms[index]):
            if not asked.allows(labels.get(asked.key)):
                asks = f"node affinity {asked.key} {asked.operator} {', '.join(asked.values)}".strip()
                yield Barrier(f"{path}.matchExpressions[{number}]", asks, _instead(labels, asked.key))
        for each in mappings_at(term, "matchFields"):
            names = at(each, "values") or ()
            if text_at(each, "operator") == "In" and name not in names:
                yield Barrier(f"{path}.matchFields", f"node affinity to {', '.join(map(str, names))}", "")

    def tolerates(self, taint: Taint) -> bool:
        return any(_tolerates(each, taint) for each in mappings_at(self.spec, "tolerations"))

    def kept_away(self, node: NodeGpus) -> list[Taint]:
        return [each for each in node.taints if not self.tolerates(each)]

    @cached_property
    def shown(self) -> str:
        """The labels that it chooses, in a reader's words."""
        chosen = [f"{key}={value}" for key, value in self._wants]
        for each in (each for term in self.selection.terms for each in term):
            chosen += [f"{each.key} {each.operator} {', '.join(each.values)}".strip()]
        return ", ".join(dict.fromkeys(chosen)) or "none"


def _instead(labels: Mapping[str, str], key: str) -> str:
    return f"{key}={labels[key]}" if key in labels else f"no label {key}"


def node_choice(pod: Mapping[str, Any]) -> NodeChoice:
    spec = mapping_at(pod, "spec")
    kept: dict[str, Any] = {name: spec[name] for name in ("nodeSelector", "tolerations") if spec.get(name)}
    required = at(spec, "affinity", "nodeAffinity", _REQUIRED)
    if isinstance(required, dict):
        kept["affinity"] = {"nodeAffinity": {_REQUIRED: required}}
    return NodeChoice(json.dumps(kept, sort_keys=True, default=str), kept)


def _terms(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    # As `Selection.terms` counts them, which leaves nothing out.
    found = at(spec, "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    return found if isinstance(found, list) else []


def _tolerates(toleration: Mapping[str, Any], taint: Taint) -> bool:
    effect, key = text_at(toleration, "effect"), text_at(toleration, "key")
    if effect and effect != taint.effect:
        return False
    exists = text_at(toleration, "operator") == "Exists"
    if not key:
        return exists
    return key == taint.key and (exists or text_at(toleration, "value") == taint.value)
