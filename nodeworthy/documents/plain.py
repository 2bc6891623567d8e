"""Looks into plain data (JSON) whose shape nobody promised: what is not there, or is of another type, is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def at(data: Any, *names: str) -> Any:
    """The value under these names, None where the way to it ends."""
    for name in names:
        if not isinstance(data, dict):
            return None
        data = data.get(name)
    return data


def text_at(data: Any, *names: str) -> str:
    # Not by way of `at`: of a large cluster, this is asked millions of times.
    for name in names:
        if not isinstance(data, dict):
            return ""
        data = data.get(name)
    return data if isinstance(data, str) else ""


def mapping_at(data: Any, *names: str) -> Mapping[str, Any]:
    found = at(data, *names)
    return found if isinstance(found, dict) else {}


def strings_at(data: Any, *names: str) -> Mapping[str, str]:
    """Labels, annotations, selectors: names to strings."""
    return {name: value for name, value in mapping_at(data, *names).items() if isinstance(value, str)}


def mappings_at(data: Any, *names: str) -> Sequence[Mapping[str, Any]]:
    """The mappings of a list."""
    found = at(data, *names)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else ()


def number_at(data: Any, *names: str) -> int | None:
    found = at(data, *names)
    if isinstance(found, str) and found.isdecimal() and len(found) < 20:
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None
