"""What keeps pods on different nodes: required anti-affinity, or a spread that is not only a wish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_HOST = "kubernetes.io/hostname"
# Different zones are different nodes.
_WIDE = frozenset((_HOST, "topology.kubernetes.io/zone", "topology.kubernetes.io/region"))


@dataclass(frozen=True)
class Selector:
    labels: Mapping[str, str]
    # What else it asks for, by `operator: In` and its like.
    expressions: tuple[tuple[str, str, tuple[str, ...]], ...] = ()

    def chooses(self, labels: Mapping[str, str]) -> bool:
        plain = all(labels.get(name) == value for name, value in self.labels.items())
        return plain and all(_holds(each, labels) for each in self.expressions)


def _holds(expression: tuple[str, str, tuple[str, ...]], labels: Mapping[str, str]) -> bool:
    key, operator, values = expression
    told = {"Exists": key in labels, "DoesNotExist": key not in labels, "NotIn": labels.get(key) not in values}
    return told.get(operator, labels.get(key) in values)


@dataclass(frozen=True)
class Apart:
    """Which pods this one never shares a node with, and where that is said."""

    place: Place
    never_with: tuple[Selector, ...] = ()
    # Among themselves, whatever their labels.
    always: bool = False
    # Only a wish is said.
    wishes: bool = False
    hidden: str | None = None

    def keeps(self, labels: Mapping[str, str]) -> bool:
        return self.always or any(each.chooses(labels) for each in self.never_with)


def of_pod(spec: Tree) -> Apart:
    affinity = spec.get("affinity", "podAntiAffinity")
    hard = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    soft = affinity.get("preferredDuringSchedulingIgnoredDuringExecution")
    spread = spec.get("topologySpreadConstraints")
    never = [*_terms(hard), *_terms(spread, only="DoNotSchedule")]
    said = next((each for each in (hard, soft, spread) if each.sequence), spec.get("affinity"))
    hidden = next(filter(None, map(why_incomplete, (spec.get("affinity"), affinity, hard, spread))), None)
    wishes = not never and bool(soft.sequence or spread.sequence)
    return Apart((said.key or said.place), tuple(never), wishes=wishes, hidden=hidden)


def _terms(terms: Tree, only: str | None = None) -> Iterator[Selector]:
    for term in terms.sequence:
        if only is not None and term.get("whenUnsatisfiable").text not in (only, None):
            continue
        if term.get("topologyKey").text in _WIDE and term.get("labelSelector").is_mapping:
            yield _selector(term.get("labelSelector"))


def _selector(tree: Tree) -> Selector:
    labels = {name: str(each.value) for name, each in tree.get("matchLabels").mapping.items()}
    expressions = tuple(
        (
            each.get("key").text or "",
            each.get("operator").text or "",
            tuple(value.text or "" for value in each.get("values").sequence),
        )
        for each in tree.get("matchExpressions").sequence
    )
    return Selector(labels, expressions)


def of_cloud_native(document: Tree) -> Apart:
    """CloudNativePG keeps them apart by itself; as a wish, where nobody says that it is required."""
    affinity = document.get("spec", "affinity")
    kind = affinity.get("podAntiAffinityType")
    place = (kind if not kind.is_absent else affinity).place
    on = affinity.get("enablePodAntiAffinity").value is not False
    hidden = why_incomplete(affinity) or why_incomplete(kind)
    return Apart(place, always=on and kind.text == "required", wishes=on and kind.text != "required", hidden=hidden)
