"""What chooses nodes by labels that none of them has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.documents.plain import text_at
from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import PRODUCT
from nodeworthy.facts.cluster.references import Id, object_of, values_at
from nodeworthy.known.gpus import is_product_meant
from nodeworthy.known.selectors import Selector, selectors
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Chooser:
    """An object, and the labels by which it chooses; a label without a value may have any."""

    by: Selector
    id: Id
    wanted: tuple[tuple[str, str], ...]
    brings: str = ""

    @property
    def place(self) -> Place:
        return Place(object=object_of(self.id))

    @property
    def shown(self) -> str:
        return ", ".join(f"{name}={value}" if value else name for name, value in self.wanted)

    def takes(self, labels: Mapping[str, str]) -> bool:
        return all(labels.get(name) == value if value else name in labels for name, value in self.wanted)


@dataclass(frozen=True)
class ChoosesNone:
    chooser: Chooser
    # The labels that no node has as they are wanted, and the values that nodes have of them.
    unmet: tuple[tuple[str, str], ...]
    others: tuple[str, ...]
    # The pods that wait for what it would bring.
    victims: tuple[str, ...]

    @property
    def place(self) -> Place:
        return self.chooser.place


@dataclass(frozen=True)
class Choosers:
    found: tuple[ChoosesNone, ...] = ()
    looked_for: int = 0


@dataclass
class ChoosersSeen:
    """The objects that choose nodes; of all else nothing."""

    by_id: dict[Id, Chooser] = field(default_factory=dict)

    def add(self, kind: str, key: tuple[str, str], data: Mapping[str, Any]) -> None:
        row = selectors().get(kind)
        if row is None:
            return
        wanted = tuple(pair for said in values_at(data, row.at) for pair in _pairs(said))
        self.by_id[kind, *key] = Chooser(row, (kind, *key), wanted, text_at(data, *row.brings))


def _pairs(said: Any) -> Iterator[tuple[str, str]]:
    if isinstance(said, str):
        yield said, ""
    elif isinstance(said, dict):
        yield from ((name, value) for name, value in said.items() if isinstance(value, str))


def choosers(found: ChoosersSeen, nodes: Collection[NodeGpus], waiting: Sequence[AskingPod]) -> Choosers:
    """`nodes` are all that there are. Where none has GPUs, who chooses among them is not ours."""
    if not any(node.has_gpus for node in nodes):
        return Choosers()
    choosing = [each for each in found.by_id.values() if each.wanted]
    told = (_chooses_none(each, nodes, waiting) for each in choosing)
    return Choosers(tuple(filter(None, told)), len(choosing))


def _chooses_none(chooser: Chooser, nodes: Collection[NodeGpus], waiting: Sequence[AskingPod]) -> ChoosesNone | None:
    if any(chooser.takes(node.labels) for node in nodes):
        return None
    labels = [node.labels for node in nodes]
    unmet = tuple(
        (name, value)
        for name, value in chooser.wanted
        if not any(each.get(name) == value if value else name in each for each in labels)
    )
    others = sorted({(name, each[name]) for name, _ in unmet for each in labels if name in each})
    near = [each for each in others if any(_is_meant(*each, by=pair) for pair in unmet)]
    if chooser.by.only_near and not near:
        return None
    missed = f"/{chooser.brings}" if chooser.brings else None
    victims = tuple(sorted(pod.object for pod in waiting if missed and missed in pod.unplaced))
    shown = tuple(f"{name}={value}" for name, value in dict.fromkeys((*near, *others)))
    return ChoosesNone(chooser, unmet or chooser.wanted, shown, victims)


def _is_meant(name: str, value: str, *, by: tuple[str, str]) -> bool:
    """Whether a value that nodes have is what another one means that none has."""
    wanted = by[1]
    alike = value.casefold() == wanted.casefold() or (name == PRODUCT and is_product_meant(value, wanted))
    return name == by[0] and alike
