"""Edits of a YAML text: one scalar replaced in its style, entries of a list put in or taken out."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import yaml

from nodeworthy.documents.yaml_nodes import Loader
from nodeworthy.edit import Edit
from nodeworthy.fixes.text import Change, NotMended, Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# The nodes of a YAML text with where they begin and end, also of the documents inside literal blocks.

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
        return None if _TEMPLATE.search(text.text) else _nodes_of(text.text, _places(text))
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
        return _nodes_of("\n".join(row[indent:] for row in rows), at)
    except (yaml.YAMLError, ValueError, RecursionError):
        return []


def _nodes_of(text: str, at: At) -> list[Node]:
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
    """The position after the block's last character: its mark stands where the next thing begins."""
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


Variables = Sequence[tuple[str, str]]


def variables(text: Text, edits: Sequence[Edit]) -> list[Change]:
    """One list gets all of them. The place is `env`, or where there is none what it belongs to."""
    at = spot(text, edits[0].place)
    at.refuse_shared()
    above = at.within("mapping")
    pair = next((pair for pair in above[0].pairs() if pair[0] is at.node), None) if above else None
    if pair is None or pair[0].value not in ("env", "toolkit"):
        raise NotMended("there is no toolkit.env in this file to put it in")
    key, under = pair
    more = [(name, value) for name, _, value in (each.new.partition("=") for each in edits)]
    if key.value == "env":
        return _appended(text, key, under, more, flow=any(each.flow for each in above))
    if under.kind != "mapping" or under.anchor or under.tag:
        raise NotMended("what stands under toolkit is no mapping of its own")
    return _with_list(text, under, "env", more)


def without_twin(text: Text, edit: Edit) -> list[Change]:
    """Removes the second of two entries that say the same."""
    at = spot(text, edit.place)
    at.refuse_shared()
    entry, entries = _entry(at)
    first = next(each for each in entries.children if _says(each, "name") == _says(entry, "name"))
    if first is entry or _as_data(first) != _as_data(entry):
        raise NotMended("the two entries do not say the same: which one is meant, only its writer knows")
    return [_removed(text, entries, entry)]


def _entry(at: Spot) -> tuple[Node, Node]:
    mappings, lists = at.within("mapping"), at.within("sequence")
    if not mappings or not lists or mappings[0] not in lists[0].children:
        raise NotMended("it does not stand in the list itself")
    return mappings[0], lists[0]


def _says(entry: Node, name: str) -> str | None:
    pair = entry.get(name)
    return pair[1].value if pair is not None and pair[1].kind == "scalar" else None


def _as_data(entry: Node) -> object:
    """What a variable says, without its quotes. None where the line says more than a name and a value."""
    if entry.kind != "mapping" or len(entry.children) != 4 or _says(entry, "value") is None:
        return object()
    return _says(entry, "name"), _says(entry, "value")


def _appended(text: Text, key: Node, entries: Node, more: Variables, *, flow: bool) -> list[Change]:
    """These variables behind the last entry of the list under this key, in its own layout."""
    if entries.kind == "sequence" and entries.children:
        return [_behind(text, entries, more, as_json=key.style == '"')]
    if entries.kind == "alias" or entries.anchor or entries.tag:
        raise NotMended("the list has an anchor or a tag")
    written = text.text[entries.start : entries.end]
    if written not in ("", "[]", "null", "~"):
        raise NotMended("what stands there is no list")
    end = text.end(text.line_of(key.end))
    if flow and written == "[]":
        inside = ", ".join(_in_one_line(more, as_json=key.style == '"'))
        return [Change(entries.start + 1, entries.start + 1, inside)]
    if flow or entries.start > end or _column(text, key) is None:
        raise NotMended("the list does not stand alone on its lines")
    newline, indent = text.line_end(text.line_of(key.end)), " " * ((_column(text, key) or 0) + 2)
    # Behind the colon nothing is left but what follows the empty list.
    taken = [Change(_behind_colon(text, key), entries.end, "")] if written else []
    rows = [row for name, value in more for row in _rows(f"{indent}- ", f"{indent}  ", name, value)]
    return [*taken, Change(end, end, newline + newline.join(rows))]


def _with_list(text: Text, mapping: Node, name: str, more: Variables) -> list[Change]:
    """A list of this name with these variables, as the last of a mapping."""
    first = mapping.children[0] if mapping.children else None
    column = _column(text, first) if first is not None else None
    if first is None or mapping.flow or column is None:
        raise NotMended("what it belongs to does not stand in lines of its own")
    line = text.line_of(mapping.end)
    newline, indent = text.line_end(line), " " * column
    rows = [row for each in more for row in _rows(f"{indent}  - ", f"{indent}    ", *each)]
    end = text.end(line)
    return [Change(end, end, newline + newline.join([f"{indent}{name}:", *rows]))]


def _removed(text: Text, entries: Node, entry: Node) -> Change:
    """Removes an entry that is not the first. A comment about it would be left alone there."""
    index = entries.children.index(entry)
    if entries.flow:
        start = entries.children[index - 1].end
        if "#" in text.text[start : entry.end] or "\n" in text.text[start : entry.end]:
            raise NotMended("the entry does not stand on one line with the one before it")
        return Change(start, entry.end, "")
    first, last = text.line_of(entry.start), text.line_of(entry.end)
    lines = [text.line(number) for number in range(first - 1, last + 1)]
    if lines[0].lstrip().startswith("#") or any("#" in line for line in lines[1:]):
        raise NotMended("a comment stands at it, which only its writer can move")
    if lines[1][: entry.start - text.start(first)].strip() != "-":
        raise NotMended("the entry does not stand in lines of its own")
    start, end = text.start(first), text.start(last + 1) if last < text.lines else len(text.text)
    if end == len(text.text) and last == text.lines:
        start = text.end(first - 1)
    return Change(start, end, "")


def _behind(text: Text, entries: Node, more: Variables, *, as_json: bool) -> Change:
    last = entries.children[-1]
    if entries.flow:
        return Change(last.end, last.end, "".join(f", {each}" for each in _in_one_line(more, as_json=as_json)))
    dash = text.position(entries.start)[1] - 1
    # Several lists may begin on one line; the entries of the inner one are then not told apart by their dash.
    line = text.line_of(last.start)
    lead = text.line(line)[: last.start - text.start(line)]
    if lead.strip() != "-" or lead.index("-") != dash:
        raise NotMended("the list does not stand in lines of its own")
    end = text.end(text.line_of(last.end))
    newline = text.line_end(text.line_of(last.end))
    if last.flow:
        rows = [f"{lead}{each}" for each in _in_one_line(more, as_json=False)]
    else:
        rows = [row for name, value in more for row in _rows(lead, " " * len(lead), name, value)]
    return Change(end, end, newline + newline.join(rows))


def _in_one_line(more: Variables, *, as_json: bool) -> list[str]:
    """The variables on one line each; in JSON, everything has quotes."""
    if as_json:
        return [json.dumps({"name": name, "value": value}) for name, value in more]
    return [f"{{name: {name}, value: {_plain(value)}}}" for name, value in more]


def _rows(lead: str, indent: str, name: str, value: str) -> list[str]:
    return [f"{lead}name: {name}", f"{indent}value: {_plain(value)}"]


def _column(text: Text, key: Node) -> int | None:
    """How far a key is indented, where nothing but blanks stands before it."""
    line = text.line_of(key.start)
    lead = text.text[text.start(line) : key.start]
    return len(lead) if not lead.strip(" ") else None


def _behind_colon(text: Text, key: Node) -> int:
    return text.text.index(":", key.end) + 1


_FILLED_IN = ("{{", "${", "$(", "{%")
# What needs no quoting anywhere, and is a string however it is read.
_SAFE = pattern(r"/[\w./@+=:-]*[\w/]|[A-Za-z][A-Za-z_-]*[A-Za-z]")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null"}


def value(text: Text, edit: Edit) -> list[Change]:
    """Changes a value within its quotes; without quotes, to what reads back as this string."""
    node = _scalar(text, spot(text, edit.place))
    if node.value != edit.was:
        raise NotMended("the file says it in another way than the finding")
    if node.style not in ("'", '"'):
        return [Change(node.start, node.end, _plain(edit.new))]
    if set(edit.new) & set("'\"\\"):
        raise NotMended("what should stand there can't be written in these quotes")
    return [Change(node.start + 1, node.end - 1, edit.new)]


def _plain(value: str) -> str:
    """A value as YAML reads it back as this string."""
    if _SAFE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _scalar(text: Text, at: Spot) -> Node:
    """The node, where it is a scalar on one line that is nobody else's."""
    node = at.node
    at.refuse_shared()
    written = text.text[node.start : node.end]
    if node.kind != "scalar" or node.style in ("|", ">") or "\n" in written:
        raise NotMended("it is no value on one line")
    if any(mark in written for mark in _FILLED_IN):
        raise NotMended("a template fills it in")
    return node
