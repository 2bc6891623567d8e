"""What is asked of the metrics of a server of models: by alerts, dashboards and autoscalers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all_inside
from nodeworthy.facts.services.gpu_queries import ASKS, Compared, comparison_of, leaves
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# By either of the two a metric of vLLM's is asked for.
OF_SERVERS = ("vllm_", "vllm:")
_NAME = pattern(r"(?<![\w:.$\"'/-])vllm[_:][a-z0-9_]*[a-z0-9](?![\w:$./\\-])", words=OF_SERVERS)
_QUOTED = pattern(r"\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True)
class ServerQuery:
    """One expression, and the metrics of a server of models that it names."""

    called: ClassVar[str] = "a query of the metrics of a server of models"

    place: Place
    names: tuple[str, ...]
    compared: Compared | None = None
    surroundings: Surroundings | None = None


def asks_of_servers(document: Tree, surroundings: Surroundings | None = None) -> Iterator[ServerQuery]:
    """The queries of a document, wherever they stand in it, also in a text that is a document itself."""
    every = list(leaves(document))
    recorded = frozenset(each.string for name, each in every if name == "record")
    for name, leaf in every:
        text = leaf.string
        if not any(each in text for each in OF_SERVERS):
            continue
        if name in ASKS:
            found = _NAME.findall(_QUOTED.sub('""', text))
            names = tuple(dict.fromkeys(each for each in found if each not in recorded))
            if names:
                yield ServerQuery(leaf.place, names, comparison_of(text, names), surroundings)
        elif "expr" in text:
            yield from _within(leaf, surroundings)


def _within(leaf: Tree, surroundings: Surroundings | None) -> Iterator[ServerQuery]:
    try:
        documents = read_all_inside(leaf)
    except (NotYaml, ValueError):
        return
    for document in documents:
        if not document.text:
            yield from asks_of_servers(document, surroundings)
