"""The nodes of a YAML text with where they begin and end, also of the documents inside literal blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any

import yaml

from nodeworthy.documents.yaml import Loader
from nodeworthy.fixes.text import NotMended, Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What a template of Helm writes, outside of quotes: to a YAML reader it may look like a mapping.
_TEMPLATE = pattern(r"(?m)^[ \t]*\{\{|^[^\"'#\n]*[:-][ \t]+[^\"'#\n]*\{\{")
_WRITTEN_BY_A_TEMPLATE = "a template writes this file: what it says is known only when it is filled in"
# Where a line and a column (both from 0) of the document are in the text.
At = Callable[[int, int], int]


@dataclass(slots=True)
class Node:
    kind: str
    start: int
    # Behind its last character: blank lines and comments that follow are none of it.
    end: int
    value: str = ""
    style: str | None = None
    flow: bool = False
    anchor: str | None = None
    tag: str | None = None
    children: list[Node] = field(default_factory=list)

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        return zip(self.children[::2], self.children[1::2], strict=True)

    def get(self, name: str) -> tuple[Node, Node] | None:
        """The key of this name and its value; of duplicates the last, as YAML readers have it."""
        found = [pair for pair in self.pairs() if pair[0].kind == "scalar" and pair[0].value == name]
        return found[-1] if self.kind == "mapping" and found else None


@dataclass(frozen=True)
class Spot:
    """A node with those around it, the outermost first."""

    chain: tuple[Node, ...]
    documents: Sequence[Node]

    @property
    def node(self) -> Node:
        return self.chain[-1]

    def within(self, kind: str) -> list[Node]:
        """The nodes of a kind around it, the nearest first."""
        return [each for each in reversed(self.chain[:-1]) if each.kind == kind]

    def refuse_shared(self) -> None:
        anchors = [each.anchor for each in self.chain if each.anchor is not None]
        shared = {name for each in self.documents for name in _aliases(each)} if anchors else set()
        name = next((each for each in anchors if each in shared), None)
        if name is not None:
            raise NotMended(f"other places of the file say the same by the anchor &{name}")
        if self.node.anchor is not None or self.node.tag is not None:
            raise NotMended("it has an anchor or a tag")


def spot(text: Text, place: Place) -> Spot:
    """The innermost node that begins at this place."""
    documents = _documents(text)
    if documents is None:
        raise NotMended(_WRITTEN_BY_A_TEMPLATE)
    offset = text.offset(place.line or 0, place.column or 0)
    if offset is None:
        raise NotMended("the file has no such position")
    return _spot(text.text, documents, offset)


@lru_cache(maxsize=4)
def _documents(text: Text) -> list[Node] | None:
    """Read once for all that is to be mended in it; None where a template writes it."""
    try:
        return None if _TEMPLATE.search(text.text) else _read(text.text, _places(text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _places(text: Text) -> At:
    def at(line: int, column: int) -> int:
        found = text.offset(line + 1, column + 1)
        # What ends in front of a line ends behind the last one, too.
        return len(text.text) if found is None else found

    return at


def _spot(text: str, documents: list[Node], offset: int) -> Spot:
    chain: list[Node] = []
    inside: Node | None = next((each for each in reversed(documents) if each.start <= offset), None)
    while inside is not None:
        chain.append(inside)
        children = inside.children
        if inside.style == "|" and inside.start < offset < inside.end:
            inside.children = children = inside.children or _inner(text, inside)
        # Of thousands, only those about where it would stand among them.
        near = bisect_right(children, offset, key=lambda each: each.start)
        around = children[max(near - 2, 0) : near]
        inside = next((each for each in around if offset < max(each.end, each.start + 1)), None)
    if not chain or chain[-1].start != offset:
        raise NotMended("nothing begins where the finding stands")
    return Spot(tuple(chain), documents)


def _aliases(node: Node) -> Iterator[str]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.kind == "alias" and each.anchor:
            yield each.anchor
        waiting += each.children


def _inner(text: str, block: Node) -> list[Node]:
    """The documents in a literal block; none where its text is no YAML."""
    first = text.find("\n", block.start) + 1
    rows = text[first : block.end].split("\n")
    indent = next((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), 0)
    starts, behind = [], first
    for row in rows:
        starts.append(behind)
        behind += len(row) + 1

    def at(line: int, column: int) -> int:
        return min(starts[line] + indent + column, block.end) if line < len(starts) else block.end

    try:
        return _read("\n".join(row[indent:] for row in rows), at)
    except (yaml.YAMLError, ValueError, RecursionError):
        return []


def _read(text: str, at: At) -> list[Node]:
    documents: list[Node] = []
    opened: list[Node] = []
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent, yaml.CollectionStartEvent)):
            node = _node(event, at)
            if node.style in ("|", ">"):
                node.end = _end_of_block(text, event, at)
            (opened[-1].children if opened else documents).append(node)
            if isinstance(event, yaml.CollectionStartEvent):
                opened.append(node)
        elif isinstance(event, yaml.CollectionEndEvent):
            node = opened.pop()
            inner = max((each.end for each in node.children), default=node.start)
            node.end = _mark(event.end_mark, at) if node.flow else inner
    return documents


def _end_of_block(text: str, event: Any, at: At) -> int:
    """Behind its last character: the mark stands where the next thing begins."""
    row, lines = event.end_mark.line, text.split("\n")
    while row > event.start_mark.line and (row >= len(lines) or not lines[row].strip() or event.end_mark.line == row):
        row -= 1
    return at(row, len(lines[row].rstrip()))


def _node(event: Any, at: At) -> Node:
    kinds = {yaml.SequenceStartEvent: "sequence", yaml.MappingStartEvent: "mapping", yaml.AliasEvent: "alias"}
    kind = kinds.get(type(event), "scalar")
    return Node(
        kind,
        _mark(event.start_mark, at),
        _mark(event.end_mark, at),
        getattr(event, "value", ""),
        getattr(event, "style", None),
        bool(getattr(event, "flow_style", False)),
        event.anchor,
        getattr(event, "tag", None),
    )


def _mark(mark: Any, at: At) -> int:
    return at(mark.line, mark.column)
