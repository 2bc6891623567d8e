"""Kinds of others that make pods: the table of `others_kinds.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

_VERSION = pattern(r"v(\d{1,3})(?:(alpha|beta)(\d{1,3}))?")
_STABLE = "stable"
# A major version that is further on than the next one is none that a later release may have.
_TOO_FAR = 2


@cache
def _table() -> Mapping[str, Any]:
    return table_of("others_kinds")


def container_of(api: str, kind: str) -> str | None:
    """The container without which the kind's operator takes none of its objects."""
    containers: Mapping[str, str] = _table()["container"]
    return containers.get(f"{api.partition('/')[0]}/{kind}")


def fields_of_kind(api: str, kind: str) -> Mapping[str, Sequence[str]]:
    """What an object of this kind has to have, by the path of the mapping that has it."""
    required: Mapping[str, Mapping[str, Sequence[str]]] = _table()["required"]
    return required.get(f"{api.partition('/')[0]}/{kind}", {})


def versions_instead(api: str, kind: str) -> Sequence[str]:
    """In which versions a kind is served, where this is none that any release serves; else nothing."""
    group, _, version = api.partition("/")
    row = next((each for each in _table()["served"] if each["group"] == group and kind in each["kinds"]), None)
    if row is None or version in row["versions"]:
        return ()
    asked, newest = _order(version), max(filter(None, map(_order, row["versions"])))
    if asked is None:
        return ()
    is_gone = version in row.get("never", ()) or asked < newest or asked[0] >= newest[0] + _TOO_FAR
    return [f"{group}/{each}" for each in row["versions"]] if is_gone else ()


def _order(version: str) -> tuple[int, str, int] | None:
    """The order of versions by age: an alpha comes before a beta, and both before what is stable."""
    match = _VERSION.fullmatch(version)
    return (int(match[1]), match[2] or _STABLE, int(match[3] or 0)) if match else None
