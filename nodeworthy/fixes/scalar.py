"""One scalar of a YAML text, replaced in the style in which it is written."""

from __future__ import annotations

from nodeworthy.edit import Edit
from nodeworthy.fixes.change import Change, NotMended
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import Node, Spot, spot
from nodeworthy.patterns import pattern

_FILLED_IN = ("{{", "${", "$(", "{%")
# What needs no quoting anywhere, and is a string however it is read.
_SAFE = pattern(r"/[\w./@+=:-]*[\w/]|[A-Za-z][A-Za-z_-]*[A-Za-z]")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null"}


def value(text: Text, edit: Edit) -> list[Change]:
    """In the quotes that stand there; in none, as what reads back as this string."""
    node = _scalar(text, spot(text, edit.place))
    if node.value != edit.was:
        raise NotMended("the file says it in another way than the finding")
    if node.style not in ("'", '"'):
        return [Change(node.start, node.end, plain(edit.new))]
    if set(edit.new) & set("'\"\\"):
        raise NotMended("what should stand there can't be written in these quotes")
    return [Change(node.start + 1, node.end - 1, edit.new)]


def plain(value: str) -> str:
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
