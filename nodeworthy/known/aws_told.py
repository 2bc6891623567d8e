"""What AWS tells of a resource that a program declared, and how the two are laid side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of


@cache
def _table() -> Mapping[str, Any]:
    return table_of("aws_told")


def told_inputs(resource_type: str) -> Sequence[str]:
    """The inputs that AWS tells again; none of a type that is not compared."""
    found: Sequence[str] = _table()["told"].get(resource_type, ())
    return found


def compared_types() -> Sequence[str]:
    return list(_table()["told"])


def unless_said(name: str) -> object:
    """The value that holds if AWS says nothing."""
    return _table()["silent"].get(name)


def keys_of_list(list_name: str) -> Sequence[str]:
    found: Sequence[str] = _table()["told_apart_by"].get(list_name, ())
    return found


def is_open(list_name: str) -> bool:
    """Whether others may add to it."""
    return list_name in _table()["open"]["lists"]


def referred_types(name: str) -> Sequence[str]:
    """The types of the resources that a property of this name refers to."""
    found: Sequence[str] = _table()["refers"].get(name, ())
    return found


def is_written_by_clusters(description: str) -> bool:
    return description.startswith(tuple(_table()["written_by_clusters"]["descriptions"]))
