"""By which labels objects of a cluster choose nodes. The table of `selectors.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.references import way_of
from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Selector:
    of: str
    at: tuple[str, ...]
    then: str
    mend: str
    only_near: bool = False
    brings: tuple[str, ...] = ()


@cache
def selectors() -> Mapping[str, Selector]:
    """By the kind that chooses."""
    return {row["of"]: _selector(row) for row in table_of("selectors")["selector"]}


def _selector(row: Mapping[str, object]) -> Selector:
    said = {name: value for name, value in row.items() if name != "source"}
    said |= {name: way_of(said[name]) for name in ("at", "brings") if name in said}
    return Selector(**said)  # type: ignore[arg-type]
