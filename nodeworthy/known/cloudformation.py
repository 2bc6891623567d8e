"""What CloudFormation calls the resources and properties that Pulumi calls otherwise."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of


@cache
def _table() -> Mapping[str, Any]:
    return table_of("cloudformation")


def type_of(resource_type: str) -> str | None:
    """What the facts call a type; None for one that no fact is about."""
    found: str | None = _table()["types"].get(resource_type)
    return found


def holder_of(resource_type: str) -> str | None:
    """The property that holds the others."""
    found: str | None = _table()["inside"].get(resource_type)
    return found


def names_of(prop: str) -> Sequence[str]:
    """What a property may be called, the likeliest first."""
    return (f"{prop[:1].lower()}{prop[1:]}", *_table()["names"].get(prop, ()))


def is_packed(resource_type: str) -> bool:
    return resource_type in _table()["packed"]["types"]


def root_devices() -> Collection[str]:
    found: Collection[str] = _table()["root"]["devices"]
    return found
