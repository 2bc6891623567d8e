"""Which containerd takes which configuration: the table of `containerd_schema.toml`, typed."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.releases import numbers
from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@cache
def schema_table() -> Mapping[str, Any]:
    return table_of("containerd_schema")


OLD: str = schema_table()["names"]["old"]
NEW: tuple[str, ...] = tuple(schema_table()["names"]["new"])
# Of the very first version of the file, which says no version.
FIRST: str = schema_table()["names"]["first"]
CRI = frozenset((OLD, *NEW))
SECTIONS = CRI | {FIRST}
KEPT = frozenset[str](schema_table()["names"]["kept"])


@dataclass(frozen=True)
class Era:
    """Releases of containerd that read a configuration alike."""

    called: str
    since: tuple[int, ...]
    # The newest version of the file that they take; None where a newer one is not refused.
    newest: int | None
    old: Mapping[str, str]
    new: Mapping[str, str]
    first: Mapping[str, str]
    quotes: str
    loses_older_drop_ins: bool
    newer_drop_ins_fatal_before: str | None
    forgot_tls: bool

    def refuses(self, version: int) -> bool:
        return self.newest is not None and version > self.newest

    def ignores(self, section: str, version: int) -> bool:
        """Whether a section of the CRI is passed over in a file of this version (0: it says none)."""
        table = {OLD: self.old, FIRST: self.first}.get(section, self.new)
        return table.get(str(version)) == "ignored"


@cache
def eras() -> tuple[Era, ...]:
    """Oldest first."""
    return tuple(
        Era(
            row["called"],
            numbers(row["since"]) or (),
            row.get("newest"),
            row["old"],
            row["new"],
            row["first"],
            row["quotes"],
            row.get("loses_older_drop_ins", False),
            row.get("newer_drop_ins_fatal_before"),
            row.get("forgot_tls", False),
        )
        for row in schema_table()["era"]
    )


def era_of(version: str) -> Era | None:
    """The era of a release, by its minor or whole version. None for one that is none or is too old."""
    asked = numbers(version)
    fitting = [era for era in eras() if asked is not None and asked >= era.since]
    return fitting[-1] if fitting else None


def prints_single_quotes(version: str | None) -> bool | None:
    """How `containerd config default` prints an empty string; None where the release is not known."""
    era = era_of(version) if version else None
    return era.quotes == "single" if era is not None else None


@cache
def _shims() -> Mapping[str, Any]:
    shims: Mapping[str, Any] = schema_table()["shims"]
    return shims


def right_runtime_type() -> str:
    return str(_shims()["right"])


def release_without(runtime_type: str) -> str | None:
    """The release of containerd that no longer has what runs containers of this type."""
    since: str | None = _shims()["gone"].get(runtime_type)
    return since


def has_no_shim(runtime_type: str) -> bool:
    """Whether it is known that nobody ships a program for this type, in whatever release."""
    if (
        runtime_type == right_runtime_type()
        or release_without(runtime_type) is not None
        or runtime_type.startswith("/")
    ):
        return False
    name = runtime_type.rpartition(".")[0]
    last = name.rpartition(".")[2]
    if not name or last in _shims()["of_runc"]:
        return True
    is_near = bool(difflib.get_close_matches(runtime_type.lower(), [right_runtime_type()], 1, 0.9))
    return is_near and last not in _shims()["others"]


# Which keys containerd takes where in its CRI's sections: the table `keys` of `containerd_schema.toml`, typed.

_KEYS: dict[str, Any] = schema_table()["keys"]

KEYS_OF: dict[str, frozenset[str]] = {name: frozenset(_KEYS[name]) for name in NEW}
OF_CONTAINERD = frozenset[str](_KEYS["containerd"])
OPTIONS: tuple[str, ...] = tuple(_KEYS["options"])
RUNTIME_V1: str = _KEYS["of_runtime_v1"]["type"]
OF_RUNTIME_V1 = frozenset[str](_KEYS["of_runtime_v1"]["section"])
# What of the CRI still stands in the section of the old name: its server's.
SERVER = KEPT
SANDBOX_IMAGE = "sandbox_image"
PINNED: str = _KEYS["sandbox_image"]["now"]


def is_default(key: str, value: object) -> bool:
    """Whether nothing is lost with it: an empty value, or what containerd takes by itself."""
    defaults: dict[str, object] = _KEYS["defaults"]
    return value in (None, False, 0, "", [], {}) or defaults.get(key.lower()) == value


def is_default_image(image: str) -> bool:
    return image.startswith(_KEYS["sandbox_image"]["default"])


def decides(key: str) -> bool:
    """Whether a node or a pod does not work without it."""
    return key in _KEYS["weight"]["decide"]
