"""YAML's aliases and merge keys (`<<: *other`), never without bounds.

Of a mapping its own keys win, then the merged ones in their order. What has an anchor may be named many times, and
those names again, so a file of a few lines can ask for more work than anybody has time for; that is refused before
anybody walks it. Go's reader, which kubectl and Helm use, refuses such a file, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import yaml

from nodeworthy.limits import CHARACTERS_A_VALUE, MOST_BY_ALIASES, YAML_DEEPEST
from nodeworthy.records import dataclass

MERGE_KEY = "<<"
MERGE_TAG = "tag:yaml.org,2002:merge"

Pairs = dict[str, tuple[yaml.Node, yaml.Node]]


class TooMuch(Exception):
    """The aliases or the merges of a document multiply beyond measure: why, and at which node that shows."""

    def __init__(self, why: str, node: yaml.Node | None = None) -> None:
        super().__init__(why)
        self.node = node


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
                if self._brought > MOST_BY_ALIASES:
                    raise TooMuch(f"its merge keys bring together more than {MOST_BY_ALIASES:,} keys", value)
                yield from pairs.items()


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


@dataclass(frozen=True, slots=True)
class _Size:
    """What somebody finds who walks into a node: how many values, and how many levels."""

    values: int
    levels: int


class Sizes:
    """How much a document is for whoever follows its aliases; each node is counted once."""

    def __init__(self, merges: Merges) -> None:
        self._merges = merges
        self._sizes: dict[int, _Size] = {}
        # Those that are being counted: who meets one of them again has gone round in a circle.
        self._within: set[int] = set()
        # What stands in the text itself.
        self._written = 0

    def refuse_multiplied(self, documents: Iterable[yaml.Node | None]) -> None:
        for document in documents:
            if document is not None:
                self._count(document)

    def _count(self, top: yaml.Node) -> None:
        """Children before parents, without recursion: aliases nest as deep as they like."""
        waiting = [top]
        while waiting:
            node = waiting[-1]
            if id(node) in self._sizes:
                waiting.pop()
                continue
            children = self._children(node)
            if id(node) not in self._within:
                self._within.add(id(node))
                fresh = [each for each in children if id(each) not in self._sizes]
                if any(id(each) in self._within for each in fresh):
                    raise TooMuch("an anchor stands within what it names, so it has no end", node)
                waiting += fresh
                continue
            waiting.pop()
            self._within.remove(id(node))
            self._sizes[id(node)] = self._size(node, children)

    def _children(self, node: yaml.Node) -> list[yaml.Node]:
        if isinstance(node, yaml.MappingNode):
            return [value for _, value in self._merges.pairs(node).values()]
        return list(node.value) if isinstance(node, yaml.SequenceNode) else []

    def _size(self, node: yaml.Node, children: list[yaml.Node]) -> _Size:
        sizes = [self._sizes[id(each)] for each in children]
        own = 1 + len(node.value) // CHARACTERS_A_VALUE if isinstance(node, yaml.ScalarNode) else 1
        self._written += own
        size = _Size(own + sum(each.values for each in sizes), 1 + max((each.levels for each in sizes), default=0))
        if size.levels > YAML_DEEPEST + 1:
            raise TooMuch(f"its aliases nest deeper than {YAML_DEEPEST} levels", node)
        if size.values - self._written > MOST_BY_ALIASES:
            raise TooMuch(f"its aliases multiply it by more than {MOST_BY_ALIASES:,} values", node)
        return size
