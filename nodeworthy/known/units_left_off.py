"""Services that RPM's packages bring and leave off."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, cast

from nodeworthy.known.tables import table_of


@cache
def _services() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    rows = cast("list[dict[str, Any]]", table_of("units_left_off")["service"])
    return tuple((frozenset(each["packages"]), frozenset(each["units"])) for each in rows)


def units_left_off_by(packages: Collection[str]) -> frozenset[str]:
    """The units that these packages bring, by all of their names, and that nobody switches on."""
    return frozenset(unit for brings, units in _services() if not brings.isdisjoint(packages) for unit in units)


def names_of_unit(name: str) -> frozenset[str]:
    """All names of the service that is called so."""
    return frozenset({name}.union(*(units for _, units in _services() if name in units)))
