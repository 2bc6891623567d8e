"""A template's nodes: short tags as the functions they are short for, and scalars as values that know their spot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from nodeworthy.hcl.arithmetic import NoNumber, number
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import Lit, Scalar, Str
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_TAG = "tag:yaml.org,2002:"
# Short forms whose long form has no `Fn::` before it.
_BARE = frozenset({"Ref", "Condition"})
_WHOLE = pattern(r"-?(?:0|[1-9][0-9]*)")
_BEFORE = pattern(r"(?:![^\s]*\s+)?[\"']?")

Node = Any


@dataclass(slots=True)
class Function:
    """A call of a function of CloudFormation's, however it is written."""

    name: str
    argument: Node
    # It is written as a tag, so that its argument is the very node that has the tag.
    is_tag: bool = False


def function_of(node: Node) -> Function | None:
    """What a node calls: by its tag, or as the only key of a mapping."""
    tag = str(node.tag)
    if tag.startswith("!"):
        name = tag[1:]
        return Function(name if name in _BARE else f"Fn::{name}", node, True)
    return function_in(pairs(node))


def function_in(mapping: Mapping[str, tuple[Node, Node]]) -> Function | None:
    if len(mapping) != 1:
        return None
    name, (_, argument) = next(iter(mapping.items()))
    return Function(name, argument) if name.startswith("Fn::") or name in _BARE else None


def pairs(node: Node | None) -> Mapping[str, tuple[Node, Node]]:
    """The entries of a mapping by their keys; nothing of what is none."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {str(key.value): (key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode)}


def child(node: Node | None, *names: str) -> Node | None:
    for name in names:
        found = pairs(node).get(name)
        if found is None:
            return None
        node = found[1]
    return node


def items(node: Node | None) -> Sequence[Node]:
    found: Sequence[Node] = node.value if isinstance(node, yaml.SequenceNode) else ()
    return found


def scalar_text(node: Node | None) -> str | None:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else None


def spot_of(node: Node, file: File) -> Spot:
    return Spot(file, node.start_mark.index)


def scalar(node: Node, file: File) -> Scalar | Str:
    told, tag = str(node.value), str(node.tag)
    if tag == f"{_TAG}null":
        return Scalar(None, spot_of(node, file))
    if tag == f"{_TAG}bool":
        return Scalar(told.lower() in ("true", "yes", "on"), spot_of(node, file))
    if tag == f"{_TAG}float" or (tag == f"{_TAG}int" and _WHOLE.fullmatch(told)):
        try:
            return Scalar(number(told), spot_of(node, file))
        except NoNumber:
            pass
    return text(node, file)


def text(node: Node, file: File) -> Str:
    """A scalar as a text: of a literal block every line with its own spot."""
    spot = spot_of(node, file)
    if node.style == "|" and node.end_mark is not None:
        return Str(list(_block(node, file)), spot)
    told = str(node.value)
    found = _BEFORE.match(file.text, spot.at)
    begin = found.end() if found is not None else spot.at
    straight = file.text.startswith(told, begin)
    return Str((Lit(told, Spot(file, begin if straight else spot.at), straight),), spot)


def _block(node: Node, file: File) -> Iterator[Lit]:
    """The lines of a literal block, each behind its indentation."""
    first = node.start_mark.line + 2
    lines = str(node.value).split("\n")
    indent = 0
    for index, line in enumerate(lines):
        if line.strip():
            begin = file.offset(first + index, 1)
            end = file.text.find("\n", begin)
            written = file.text[begin : end if end >= 0 else None].rstrip("\r")
            indent = max(len(written) - len(line), 0)
            break
    last = len(lines) - 1
    for index, line in enumerate(lines):
        told = line if index == last else f"{line}\n"
        if told:
            yield Lit(told, Spot(file, file.offset(first + index, 1 + indent)), True)
