"""Looks into plain data (JSON) whose shape nobody promised: what is not there, or is of another type, is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# The way to a value is walked in each of them: of a large cluster, they are asked millions of times.


def at(data: Any, *names: str) -> Any:
    """The value under these names, None where the way to it ends."""
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text_at(data: Any, *names: str) -> str:
    for name in names:
        if not isinstance(data, dict):
            return ""
        data = data.get(name)
    return data if isinstance(data, str) else ""


def mapping_at(data: Any, *names: str) -> Mapping[str, Any]:
    for name in names:
        if not isinstance(data, dict):
            return {}
        data = data.get(name)
    return data if isinstance(data, dict) else {}


def strings_at(data: Any, *names: str) -> Mapping[str, str]:
    """Labels, annotations, selectors: names to strings."""
    found = mapping_at(data, *names)
    return {name: value for name, value in found.items() if isinstance(value, str)} if found else found


def mappings_at(data: Any, *names: str) -> Sequence[Mapping[str, Any]]:
    """The mappings of a list."""
    for name in names:
        if not isinstance(data, dict):
            return ()
        data = data.get(name)
    return [each for each in data if isinstance(each, dict)] if isinstance(data, list) and data else ()


def number_at(data: Any, *names: str) -> int | None:
    found = at(data, *names)
    if isinstance(found, str) and found.isdecimal() and len(found) < 20:
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
