"""What tells whether a GPU works: the table of `gpu_activity.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Metric:
    name: str
    idle_below: float
    most: float
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("gpu_activity")


@cache
def metrics() -> Mapping[str, Metric]:
    return {row["name"]: Metric(**row) for row in _table()["metric"]}


def minutes(name: str) -> int:
    """`window`, `step`, or `long_enough`."""
    return int(_table()[name])
