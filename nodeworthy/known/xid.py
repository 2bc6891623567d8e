"""What NVIDIA's Xid numbers mean: the table of `xid.toml`, typed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Xid:
    number: int
    says: str
    whose: str

    @property
    def remedy(self) -> str | None:
        remedy: str | None = _table()["remedy"].get(self.whose)
        return remedy


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("xid.toml").read_text(encoding="utf-8"))


def xid(number: int) -> Xid:
    """Of a number that we don't know: that we don't."""
    row = _table()["xid"].get(str(number))
    return Xid(number, row["says"], row["whose"]) if row else Xid(number, "see NVIDIA's Xid catalogue", "unknown")
