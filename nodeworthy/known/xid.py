"""What NVIDIA's Xid and SXid numbers mean: the tables of `xid.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
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
    return table_of("xid")


def xid(number: int) -> Xid:
    """The Xid of this number. Of a number that we don't know, it says that."""
    return xid_numbered("xid", number) or Xid(number, "see NVIDIA's Xid catalogue", "unknown")


def xid_numbered(table: str, number: int) -> Xid | None:
    """The entry of a number. An SXid's part is told by its thousands."""
    key = number // 1000 if table == "sxid" else number
    row = _table().get(table, {}).get(str(key))
    return Xid(number, row["says"], row["whose"]) if row else None
