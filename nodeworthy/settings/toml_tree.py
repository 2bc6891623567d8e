"""The table `[tool.nodeworthy]` of a pyproject.toml as a tree whose keys know their line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.boot.toml_positions import key_positions
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.verdict import Place

TABLE = ("tool", "nodeworthy")
# tomllib takes the square of a key's length, and nobody's project is that long.
LONGEST = 1_000_000
_Positions = Mapping[tuple[str, ...], tuple[int, int]]


def table_of(text: str, origin: Place) -> Tree | None:
    """None where there is no such table."""
    if len(text) > LONGEST:
        raise InputError(f"{origin.path} is larger than a pyproject.toml may be: {LONGEST // 1_000_000} MB")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise InputError(f"{origin.path} is no TOML, and may hold settings: {problem}") from None
    tools = document.get(TABLE[0])
    if not isinstance(tools, dict) or TABLE[1] not in tools:
        return None
    return _tree(tools[TABLE[1]], TABLE, origin, key_positions(text))


def _tree(value: Any, path: tuple[str, ...], above: Place, positions: _Positions) -> Tree:
    line, column = positions.get(path, (above.line, above.column))
    place = Place(path=above.path, line=line, column=column)
    if isinstance(value, Mapping):
        children = {name: _tree(child, (*path, name), place, positions) for name, child in value.items()}
        return Tree(children, place, place)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Tree([_tree(child, path, place, positions) for child in value], place, place)
    return Tree(value if isinstance(value, (str, int, float, bool)) else str(value), place, place)
