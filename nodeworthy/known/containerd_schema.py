"""Which containerd takes which configuration: the table of `containerd_schema.toml`, typed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from nodeworthy.known.releases import numbers
from nodeworthy.records import dataclass


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("containerd_schema.toml").read_text(encoding="utf-8"))


OLD: str = _table()["names"]["old"]
NEW: tuple[str, ...] = tuple(_table()["names"]["new"])
# Of the very first version of the file, which says no version.
FIRST: str = _table()["names"]["first"]
CRI = frozenset((OLD, *NEW))
SECTIONS = CRI | {FIRST}
KEPT = frozenset[str](_table()["names"]["kept"])


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
        for row in _table()["era"]
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
