"""What a document or a Kubernetes object brings, wherever it was found: in a file, in a plan, in a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.collect.source.recognise import operator_values
from nodeworthy.documents.tree import Tree
from nodeworthy.engine import Fact

# Each looks at one object (lists are taken apart before) and yields the facts that it knows in it.
RECOGNISERS: tuple[Callable[[Tree], Iterator[Fact]], ...] = (operator_values,)


def facts_of(document: Tree) -> Iterator[Fact]:
    for recognise in RECOGNISERS:
        yield from recognise(document)
