"""Entries of a list in a YAML text: one more behind the last, or one less."""

from __future__ import annotations

import json
from collections.abc import Sequence

from nodeworthy.fixes.edit import Edit, NotMended
from nodeworthy.fixes.scalar import plain
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import Node

Variables = Sequence[tuple[str, str]]


def appended(text: Text, key: Node, entries: Node, more: Variables, *, flow: bool) -> list[Edit]:
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
        return [Edit(entries.start + 1, entries.start + 1, inside)]
    if flow or entries.start > end or _column(text, key) is None:
        raise NotMended("the list does not stand alone on its lines")
    newline, indent = text.line_end(text.line_of(key.end)), " " * ((_column(text, key) or 0) + 2)
    # Behind the colon nothing is left but what follows the empty list.
    taken = [Edit(_behind_colon(text, key), entries.end, "")] if written else []
    rows = [row for name, value in more for row in _rows(f"{indent}- ", f"{indent}  ", name, value)]
    return [*taken, Edit(end, end, newline + newline.join(rows))]


def with_list(text: Text, mapping: Node, name: str, more: Variables) -> list[Edit]:
    """A list of this name with these variables, as the last of a mapping."""
    first = mapping.children[0] if mapping.children else None
    column = _column(text, first) if first is not None else None
    if first is None or mapping.flow or column is None:
        raise NotMended("what it belongs to does not stand in lines of its own")
    line = text.line_of(mapping.end)
    newline, indent = text.line_end(line), " " * column
    rows = [row for each in more for row in _rows(f"{indent}  - ", f"{indent}    ", *each)]
    end = text.end(line)
    return [Edit(end, end, newline + newline.join([f"{indent}{name}:", *rows]))]


def removed(text: Text, entries: Node, entry: Node) -> Edit:
    """Without this entry, which is not the first. What somebody remarked on it would stand there alone."""
    index = entries.children.index(entry)
    if entries.flow:
        start = entries.children[index - 1].end
        if "#" in text.text[start : entry.end] or "\n" in text.text[start : entry.end]:
            raise NotMended("the entry does not stand on one line with the one before it")
        return Edit(start, entry.end, "")
    first, last = text.line_of(entry.start), text.line_of(entry.end)
    lines = [text.line(number) for number in range(first - 1, last + 1)]
    if lines[0].lstrip().startswith("#") or any("#" in line for line in lines[1:]):
        raise NotMended("a comment stands at it, which only its writer can move")
    if lines[1][: entry.start - text.start(first)].strip() != "-":
        raise NotMended("the entry does not stand in lines of its own")
    start, end = text.start(first), text.start(last + 1) if last < text.lines else len(text.text)
    if end == len(text.text) and last == text.lines:
        start = text.end(first - 1)
    return Edit(start, end, "")


def _behind(text: Text, entries: Node, more: Variables, *, as_json: bool) -> Edit:
    last = entries.children[-1]
    if entries.flow:
        return Edit(last.end, last.end, "".join(f", {each}" for each in _in_one_line(more, as_json=as_json)))
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
    return Edit(end, end, newline + newline.join(rows))


def _in_one_line(more: Variables, *, as_json: bool) -> list[str]:
    """In JSON whatever stands there has quotes."""
    if as_json:
        return [json.dumps({"name": name, "value": value}) for name, value in more]
    return [f"{{name: {name}, value: {plain(value)}}}" for name, value in more]


def _rows(lead: str, indent: str, name: str, value: str) -> list[str]:
    return [f"{lead}name: {name}", f"{indent}value: {plain(value)}"]


def _column(text: Text, key: Node) -> int | None:
    """How far a key is indented, where nothing but blanks stands before it."""
    line = text.line_of(key.start)
    lead = text.text[text.start(line) : key.start]
    return len(lead) if not lead.strip(" ") else None


def _behind_colon(text: Text, key: Node) -> int:
    return text.text.index(":", key.end) + 1
