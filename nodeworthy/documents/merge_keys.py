"""YAML's merge keys (`<<: *other`), resolved once a mapping and never without bounds.

Each mapping's own keys win, then the merged ones in their order. A mapping may be merged into many others and those
again, so a file of a few lines can ask for more work than anybody has time for; that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import yaml

MERGE_KEY = "<<"
MERGE_TAG = "tag:yaml.org,2002:merge"
# Far more keys than the merges of any real document bring together.
MOST = 1_000_000

Pairs = dict[str, tuple[yaml.Node, yaml.Node]]


class TooMuch(Exception):
    """The merges of a document multiply beyond measure."""


class Merges:
    """The keys of every mapping of a document, with what it merges."""

    __slots__ = ("_brought", "_resolved")

    def __init__(self) -> None:
        self._resolved: dict[int, Pairs] = {}
        self._brought = 0

    def resolve(self, documents: Iterable[yaml.Node | None]) -> None:
        """Resolves every mapping in the order in which they stand: what one merges has been resolved before it."""
        waiting = [each for each in reversed(list(documents)) if each is not None]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen or isinstance(node, yaml.ScalarNode):
                continue
            seen.add(id(node))
            if isinstance(node, yaml.MappingNode):
                self.pairs(node)
            waiting += reversed(list(_children(node)))

    def pairs(self, node: yaml.MappingNode) -> Pairs:
        found = self._resolved.get(id(node))
        if found is None:
            # A mapping that merges itself finds this: what it merges of itself adds nothing.
            self._resolved[id(node)] = {}
            found = self._resolved[id(node)] = self._pairs(node)
        return found

    def _pairs(self, node: yaml.MappingNode) -> Pairs:
        merged: Pairs = {}
        own: Pairs = {}
        for key, value in node.value:
            if key.tag == MERGE_TAG:
                for name, pair in self._merged(value):
                    merged.setdefault(name, pair)
            else:
                own[str(key.value) if isinstance(key, yaml.ScalarNode) else "?"] = (key, value)
        return {**merged, **own}

    def _merged(self, value: yaml.Node) -> Iterator[tuple[str, tuple[yaml.Node, yaml.Node]]]:
        sources = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for source in sources:
            if isinstance(source, yaml.MappingNode):
                pairs = self.pairs(source)
                self._brought += len(pairs)
                if self._brought > MOST:
                    raise TooMuch(f"its merge keys bring together more than {MOST} keys")
                yield from pairs.items()


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value
