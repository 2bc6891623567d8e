"""Which nodes a pod may run on: its nodeSelector, its node affinity, and the taints that it tolerates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nodeworthy.documents.plain import at, mapping_at, mappings_at, text_at
from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, Unknown

if TYPE_CHECKING:
    from nodeworthy.facts.cluster.node_gpus import NodeGpus, Taint

# Which nodes a pod may run on: its nodeSelector, and what its node affinity requires.
_OF_A_LABEL = pattern(r"[\w.-]*")


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
            return value in self.values or any(map(is_made_later, self.values))
        if self.operator == "NotIn":
            return value not in self.values
        if self.operator == "Exists":
            return value is not None
        return value is None if self.operator == "DoesNotExist" else True


def is_made_later(value: str) -> bool:
    """Whether something fills it in: `${ACCELERATOR}` is no value of a label."""
    return _OF_A_LABEL.fullmatch(value) is None


def _settled(chosen: Tree) -> Located[str]:
    found = settle(chosen)
    if isinstance(found.state, Known) and is_made_later(str(found.state.value)):
        return Located.unknown(f"what fills in {found.state.value} is not known", found.place)
    return found


@dataclass(frozen=True)
class Selection:
    spec: Tree

    @cached_property
    def selector(self) -> Mapping[str, Located[str]]:
        chosen = {name: _settled(tree) for name, tree in self.spec.get("nodeSelector").mapping.items()}
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

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels about which it says anything."""
        return tuple(dict.fromkeys((*self.selector, *(each.key for term in self.terms for each in term))))

    def where(self, label: str) -> Tree:
        """The place where it says something about a label."""
        chosen = self.spec.get("nodeSelector").mapping.get(label)
        if chosen is not None:
            return chosen
        return next((each.tree for term in self.terms for each in term if each.key == label), self.spec)


def _requirements(term: Tree) -> Iterator[Requirement]:
    for each in term.get("matchExpressions").sequence:
        values = tuple(str(value.value) for value in each.get("values").sequence)
        yield Requirement(each, each.get("key").string, each.get("operator").string, values)


# Which nodes a pod may go to, by its nodeSelector and by what its affinity requires.

REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
# Nobody gives it by himself: nodes have it where who makes them writes it.
_OF_ONES_OWN = "accelerator"
# Labels that tell a GPU node from others: whoever asks for one of them means nodes with GPUs.
_OF_GPU_NODES = (
    "nvidia.com/",
    "feature.node.kubernetes.io/pci-",
    "feature.node.kubernetes.io/cpu-model",
    _OF_ONES_OWN,
    "k8s.amazonaws.com/accelerator",
    "cloud.google.com/gke-accelerator",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
)


@dataclass(frozen=True)
class Labels:
    """What is known of the labels of a node with GPUs."""

    known: Mapping[str, str]
    # There are no others.
    whole: bool = False

    def has(self, key: str, values: Iterable[str] | None) -> bool | None:
        """Whether it has this label with one of these values, or with any; None where that is not known."""
        if key in self.known:
            return values is None or self.known[key] in values
        if self.whole:
            return False
        if self.known and key.startswith(_OF_ONES_OWN):
            return None
        return True if key.startswith(_OF_GPU_NODES) else None


def chooses(pods: Tree, labels: Labels) -> bool | None:
    """Whether pods with this spec may go to such a node; None where that is not known."""
    selected = [labels.has(key, [text]) if (text := _text(value)) else None for key, value in _selector(pods)]
    terms = pods.get(*REQUIRED)
    if is_hidden(pods):
        return _all([*selected, None])
    if terms.sequence:
        selected.append(_any(_all(_expressions(term, labels)) for term in terms.sequence))
    return _all(selected)


def is_hidden(pods: Tree) -> bool:
    """Whether there is a choice of which nothing is known."""
    return pods.get("nodeSelector").is_unknown or pods.get(*REQUIRED).is_unknown


def labels_asked_for(pods: Tree) -> frozenset[str]:
    """The labels that its choice depends on, as far as they are known."""
    terms = pods.get(*REQUIRED).sequence
    expressions = (each for term in terms for each in term.get("matchExpressions").sequence)
    named = (each.get("key").text for each in expressions)
    return frozenset((*(key for key, _ in _selector(pods)), *filter(None, named)))


def is_of_gpu_nodes(key: str) -> bool:
    return key.startswith(_OF_GPU_NODES)


def _selector(pods: Tree) -> Iterable[tuple[str, Tree]]:
    return pods.get("nodeSelector").mapping.items()


def _expressions(term: Tree, labels: Labels) -> Iterator[bool | None]:
    if term.is_unknown or term.get("matchFields").sequence:
        yield None
    for each in term.get("matchExpressions").sequence:
        yield _expression(each, labels)


def _expression(each: Tree, labels: Labels) -> bool | None:
    key, values = each.get("key").text, [_text(value) for value in each.get("values").sequence]
    if key is None or None in values:
        return None
    wanted = [value for value in values if value is not None]
    match each.get("operator").text:
        case "In":
            return labels.has(key, wanted)
        case "NotIn":
            return _not(labels.has(key, wanted))
        case "Exists":
            return labels.has(key, None)
        case "DoesNotExist":
            return _not(labels.has(key, None))
    return None


def _text(value: Tree) -> str | None:
    """Kubernetes takes strings only; a template's are not known."""
    if value.text is None or "{{" in value.text or "${" in value.text:
        return None
    return value.text


def _not(held: bool | None) -> bool | None:
    return None if held is None else not held


def _all(held: Iterable[bool | None]) -> bool | None:
    found = set(held)
    return False if False in found else (None if None in found else True)


def _any(held: Iterable[bool | None]) -> bool | None:
    found = set(held)
    return True if True in found else (None if None in found else False)


# What a pod says of the nodes that it may run on: labels that it chooses, taints that it tolerates.

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
    from json import dumps

    return NodeChoice(dumps(kept, sort_keys=True, default=str), kept)


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
