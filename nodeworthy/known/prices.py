"""What a GPU costs by the hour: the table of `prices.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Price:
    type: str
    per_gpu_hour: float
    terms: str
    as_of: str
    source: str

    @property
    def per_gpu_day(self) -> float:
        return self.per_gpu_hour * 24


@cache
def _prices() -> Mapping[str, Price]:
    table = table_of("prices")
    return {row["type"]: Price(**row) for row in table["price"]}


def price_of(instance_type: str) -> Price | None:
    """None where no source that we trust tells it."""
    return _prices().get(instance_type)
