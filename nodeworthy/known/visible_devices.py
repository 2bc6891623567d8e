"""The settings that decide which GPUs a container sees: the table of `visible_devices.toml`, typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Sign:
    """What in a file shows that the variable decides nothing."""

    says: str
    pattern: re.Pattern[bytes]


@cache
def _table() -> Mapping[str, Any]:
    return table_of("visible_devices")


VARIABLE: str = _table()["variable"]
CUDAS_OWN: str = _table()["cudas_own"]
EVERYTHING: str = _table()["everything"]
NOTHING = frozenset[str](_table()["nothing"])
MOST: int = _table()["most"]


@cache
def signs() -> tuple[Sign, ...]:
    return tuple(Sign(row["says"], re.compile(row["pattern"].encode())) for row in _table()["sign"])
