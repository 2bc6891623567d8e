"""Which settings kubelet and Talos have in their configuration: the table of `node_configuration.toml`, typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of

KUBELET, TALOS = "kubelet", "talos"
# Beside what a document says.
_OF_EVERY = ("apiVersion", "kind")


@cache
def _table(program: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = table_of("node_configuration")[program]
    return table


@cache
def settings_of(program: str, type_: str) -> Mapping[str, str]:
    """By name, of which type what stands below a setting is: `[` before it of a list, `{` of a mapping to such; empty
    of a value, and of what is not looked into. Empty where the type is not known."""
    row = _table(program)["types"].get(type_)
    return {} if row is None else {**dict.fromkeys((*_OF_EVERY, *row.get("plain", ())), ""), **row.get("holds", {})}


def root_of(program: str) -> str:
    """The type of a whole configuration."""
    root: str = _table(program)["root"]
    return root


def type_of_kind(kind: str) -> str | None:
    """The type of a further document of Talos'."""
    kinds: Mapping[str, str] = _table(TALOS)["kinds"]
    return kinds.get(kind)


def source_of(program: str) -> str:
    return str(_table(program)["source"])


def paths_to(program: str, name: str) -> list[str]:
    """Where a whole configuration has a setting of this name."""
    return list(_paths(program, root_of(program), name, ()))


def _paths(program: str, type_: str, name: str, way: tuple[str, ...]) -> Iterator[str]:
    settings = settings_of(program, type_)
    if name in settings and name not in _OF_EVERY:
        yield ".".join((*way, name))
    for key, below in settings.items():
        if below and key not in way:
            yield from _paths(program, below.lstrip("[{"), name, (*way, key))
