"""Which nodes a pod may run on: its nodeSelector, and what its node affinity requires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from nodeworthy.documents.settled import settled, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Unknown


@dataclass(frozen=True)
class Requirement:
    """One expression about a label: In, NotIn, Exists, DoesNotExist, Gt, Lt."""

    tree: Tree
    key: str
    operator: str
    values: tuple[str, ...]

    def allows(self, value: str | None) -> bool:
        """Whether a node with this value of the label may be taken; what can't be compared may."""
        if self.operator == "In":
            return value in self.values
        if self.operator == "NotIn":
            return value not in self.values
        if self.operator == "Exists":
            return value is not None
        return value is None if self.operator == "DoesNotExist" else True


@dataclass(frozen=True)
class Selection:
    spec: Tree

    @cached_property
    def selector(self) -> Mapping[str, Located[str]]:
        chosen = {name: settled(tree) for name, tree in self.spec.get("nodeSelector").mapping.items()}
        return {name: each for name, each in chosen.items() if isinstance(each.state, Unknown) or each.state.value}

    @property
    def _required(self) -> Tree:
        return self.spec.get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")

    @cached_property
    def terms(self) -> tuple[tuple[Requirement, ...], ...]:
        """Each is a way to fit: one of them has to hold, with all of its requirements."""
        terms = self._required.get("nodeSelectorTerms").sequence
        return tuple(tuple(_requirements(term)) for term in terms)

    @property
    def why_hidden(self) -> str | None:
        """Why it may be chosier than it looks."""
        looked = (self.spec.get("nodeSelector"), self.spec.get("affinity"), self._required)
        return next(filter(None, map(why_incomplete, looked)), None)

    def refuses(self, label: str, value: str | None) -> bool:
        """Whether nodes with this value of a label (None: without it) are certainly not taken."""
        chosen = self.selector.get(label)
        if chosen is not None and isinstance(chosen.state, Known) and chosen.state.value != value:
            return True
        return bool(self.terms) and all(
            any(each.key == label and not each.allows(value) for each in term) for term in self.terms
        )

    def wanted(self, label: str) -> Iterator[str]:
        """The values of a label that it asks for."""
        chosen = self.selector.get(label)
        if chosen is not None and isinstance(chosen.state, Known):
            yield str(chosen.state.value)
        for term in self.terms:
            yield from (value for each in term if each.key == label and each.operator == "In" for value in each.values)

    def where(self, label: str) -> Tree:
        """Where it says something of a label."""
        chosen = self.spec.get("nodeSelector").mapping.get(label)
        if chosen is not None:
            return chosen
        return next((each.tree for term in self.terms for each in term if each.key == label), self.spec)


def _requirements(term: Tree) -> Iterator[Requirement]:
    for each in term.get("matchExpressions").sequence:
        values = tuple(str(value.value) for value in each.get("values").sequence)
        yield Requirement(each, each.get("key").text or "", each.get("operator").text or "", values)
