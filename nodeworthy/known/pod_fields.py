"""The fields that Kubernetes has in what makes pods, and what some of them take: the table of `pod_fields.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of


@cache
def _table() -> Mapping[str, Any]:
    return table_of("pod_fields")


def fields_of(what: str) -> frozenset[str]:
    """The fields of a part (`pod`, `container`, `probe`, …), or of a kind's spec. Empty where none are known."""
    return frozenset(_table()["fields"].get(what, ()))


def group_of(kind: str) -> str | None:
    """Where Kubernetes serves this kind."""
    served: Mapping[str, str] = _table()["served"]
    return served.get(kind)


def words_of(field: str) -> Sequence[str]:
    words: Mapping[str, Sequence[str]] = _table()["words"]
    return words[field]


def is_standard_resource(name: str) -> bool:
    """Whether a container may ask for it: of a domain, or one of those that Kubernetes itself counts."""
    table = _table()["standard"]
    return "/" in name or name in table["names"] or name.startswith(tuple(table["prefixes"]))
