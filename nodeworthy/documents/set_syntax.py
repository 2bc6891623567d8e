"""Helm's `--set` syntax, as Argo CD's parameters and k3s' HelmChart keep it: `toolkit.env[0].name`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodeworthy.documents.tree import Scalar, Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

_STEP = pattern(r"((?:[^.\[\\]|\\.)+)|\[(\d+)\]|\.")
_MOST_ENTRIES = 1000  # Helm refuses larger indices, too
_TYPED: dict[str, Scalar] = {"true": True, "false": False, "null": None}


class NotSetSyntax(Exception):
    """The name is none that Helm would take."""


def steps(name: str) -> list[str | int]:
    """The way that a name goes: keys, and indices of lists."""
    found: list[str | int] = []
    at = 0
    while at < len(name):
        step = _STEP.match(name, at)
        if step is None:
            raise NotSetSyntax(name)
        at = step.end()
        if step[1]:
            found.append(re.sub(r"\\(.)", r"\1", step[1]))
        elif step[2]:
            index = int(step[2])
            if index > _MOST_ENTRIES:
                raise NotSetSyntax(name)
            found.append(index)
    if not found:
        raise NotSetSyntax(name)
    return found


def type_value(value: Tree, *, as_string: bool) -> Tree:
    """The value as `--set` would type it, or as the string that `--set-string` keeps."""
    text = value.text
    if text is None or as_string:
        return value
    if text in _TYPED:
        return replace(value, value=_TYPED[text])
    return replace(value, value=int(text)) if re.fullmatch(r"-?[1-9]\d*|0", text) else value


def lay_at(under: Tree, path: Sequence[str | int], value: Tree) -> Tree:
    """`under` with `value` at this path."""
    if not path:
        return value
    if under.is_unknown:
        return under
    first, rest = path[0], path[1:]
    if isinstance(first, str):
        children = dict(under.mapping)
        children[first] = lay_at(children.get(first, _nothing(value, under, first)), rest, value)
        return replace(under, value=children)
    entries = list(under.sequence)
    entries += [_nothing(value, under, f"[{each}]") for each in range(len(entries), first + 1)]
    entries[first] = lay_at(entries[first], rest, value)
    return replace(under, value=entries)


def _nothing(value: Tree, under: Tree, name: str) -> Tree:
    """What nobody has said yet: it is called by its own path, and stands where the value does."""
    above = under.place.subject or ""
    way = f"{above}{name}" if name.startswith("[") or not above else f"{above}.{name}"
    return Tree(None, value.place.about(way), value.key)
