"""The picture of a fleet in plain text, for a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.report.fleet_picture import Card, Picture
from nodeworthy.report.table import aligned

GPU, PROFILING, NO_GPU = "■", "▣", "□"
_MOST_NODES = 12


def text_picture(picture: Picture) -> str:
    return "\n".join(_lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    yield picture.title
    yield picture.network
    yield ""
    rows = [
        (each.name, each.title, each.instance_type, _squares(each), ", ".join(each.marks)) for each in picture.cards
    ]
    yield aligned(("pool", "GPUs", "instance type", "nodes", ""), rows)
    if picture.services:
        yield ""
        yield aligned(("beside them", ""), [(each.name, each.says) for each in picture.services])
    yield ""
    flows = [(each.source, "→", each.target, each.ports, each.why) for each in picture.flows]
    yield aligned(("who", "", "reaches", "on", "for"), flows)
    yield ""
    yield f"{GPU} a GPU   {PROFILING} a GPU of a node for profiling   {NO_GPU} a node without GPUs"


def _squares(card: Card) -> str:
    """A group of squares a node; of many nodes the first."""
    shown = min(card.nodes, _MOST_NODES)
    groups = [_node(card, index) for index in range(shown)]
    more = f" … {card.nodes} in all" if card.nodes > shown else ""
    return (" ".join(groups) or "none") + more


def _node(card: Card, index: int) -> str:
    if not card.gpus_per_node:
        return NO_GPU
    return (PROFILING if index < card.profiling_nodes else GPU) * card.gpus_per_node
