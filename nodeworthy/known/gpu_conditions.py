"""Which conditions of a node tell how its GPUs are: the table of `gpu_conditions.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

_STATUSES = ("True", "False")


@dataclass(frozen=True)
class GpuCondition:
    type: str
    who: str
    good: str
    says: str
    cause: str
    remedy: str
    link: str
    unsure: tuple[str, ...] = ()

    def is_good(self, status: str) -> bool:
        return status == self.good

    def is_bad(self, status: str, reason: str = "") -> bool:
        """Of a watcher that does not see the GPUs itself nobody knows."""
        return status in _STATUSES and not self.is_good(status) and reason not in self.unsure


@cache
def gpu_conditions() -> Mapping[str, GpuCondition]:
    rows = table_of("gpu_conditions")["condition"]
    return {row["type"]: _condition(row) for row in rows}


def _condition(row: Mapping[str, str]) -> GpuCondition:
    said = {name: row[name] for name in ("type", "who", "good", "says", "cause", "remedy", "link")}
    return GpuCondition(**said, unsure=tuple(row.get("unsure", ())))
