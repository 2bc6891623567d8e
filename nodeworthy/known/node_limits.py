"""When a node is short of something: the table of `node_limits.toml`, typed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("node_limits.toml").read_text(encoding="utf-8"))


def room() -> int:
    """Percent of a disk that must be free."""
    return int(_table()["room"]["available"])


def inodes() -> int:
    """Percent of a disk's inodes that must be free."""
    return int(_table()["room"]["inodes"])


def clock_seconds() -> float:
    return float(_table()["clock"]["seconds"])
