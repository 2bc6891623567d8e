"""One scalar of a YAML text, replaced in the style in which it is written."""

from __future__ import annotations

from nodeworthy.fixes.edit import Edit, NotMended
from nodeworthy.fixes.text import Text
from nodeworthy.fixes.yaml_nodes import Node, Spot
from nodeworthy.patterns import pattern

_FILLED_IN = ("{{", "${", "$(", "{%")
# What needs no quoting anywhere, and is a string however it is read.
_SAFE = pattern(r"/[\w./@+=:-]*[\w/]|[A-Za-z][A-Za-z_-]*[A-Za-z]")
_WORDS = {"true", "false", "yes", "no", "on", "off", "null"}


def replaced(text: Text, spot: Spot, new: str, was: str | None = None) -> Edit:
    """The scalar says `new`; `was` is what it is known to say now."""
    node = scalar(text, spot)
    if was is not None and node.value != was:
        raise NotMended("the file says it in another way than the finding")
    if node.style in ("'", '"'):
        if set(new) & set("'\"\\"):
            raise NotMended("what should stand there can't be written in these quotes")
        return Edit(node.start + 1, node.end - 1, new)
    return Edit(node.start, node.end, plain(new))


def quoted(text: Text, spot: Spot) -> Edit:
    """A plain scalar as a string of the same characters."""
    node = scalar(text, spot)
    written = text.text[node.start : node.end]
    if node.style or not written or set(written) & set("\"\\'"):
        raise NotMended("it is no plain word that quotes could stand around")
    return Edit(node.start, node.end, f'"{written}"')


def plain(value: str) -> str:
    """A value as YAML reads it back as this string."""
    if _SAFE.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def scalar(text: Text, spot: Spot) -> Node:
    """The node, where it is a scalar on one line that is nobody else's."""
    node = spot.node
    spot.refuse_shared()
    written = text.text[node.start : node.end]
    if node.kind != "scalar" or node.style in ("|", ">") or "\n" in written:
        raise NotMended("it is no value on one line")
    if any(mark in written for mark in _FILLED_IN):
        raise NotMended("a template fills it in")
    return node
