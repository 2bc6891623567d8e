"""When a node is short of something: the table of `node_limits.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of


@cache
def _table() -> Mapping[str, Any]:
    return table_of("node_limits")


def room() -> int:
    """Percent of a disk that must be free."""
    return int(_table()["room"]["available"])


def inodes() -> int:
    """Percent of a disk's inodes that must be free."""
    return int(_table()["room"]["inodes"])


def clock_seconds() -> float:
    return float(_table()["clock"]["seconds"])
