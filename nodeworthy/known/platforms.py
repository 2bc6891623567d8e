"""Platforms that have their own way of getting the driver into a container: the table of `platforms.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

_LISTS = ("labels", "provider", "kubelet", "system", "kernel")


@dataclass(frozen=True)
class Platform:
    id: str
    why: str
    remedy: str
    labels: tuple[str, ...] = ()
    provider: tuple[str, ...] = ()
    kubelet: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    kernel: tuple[str, ...] = ()
    unless: str = ""
    by_class: bool = False
    is_ones_own: bool = False

    def is_of(self, labels: Mapping[str, str], provider: str, kubelet: str, system: str, kernel: str) -> bool:
        if self.unless in labels:
            return False
        return (
            any(name in labels for name in self.labels)
            or provider.startswith(self.provider or ("\n",))
            or any(part in kubelet for part in self.kubelet)
            or system.startswith(self.system or ("\n",))
            or any(part in kernel for part in self.kernel)
        )


@cache
def platforms() -> Mapping[str, Platform]:
    return {row["id"]: _platform(row) for row in table_of("platforms")["platform"]}


def _platform(row: Mapping[str, Any]) -> Platform:
    many = {name: tuple(row[name]) for name in _LISTS if name in row}
    return Platform(
        row["id"],
        row["why"],
        row["remedy"],
        unless=row.get("unless", ""),
        by_class=row.get("by_class", False),
        is_ones_own=row.get("ones_own", False),
        **many,
    )


def platform_of(labels: Mapping[str, str], provider: str, kubelet: str, system: str, kernel: str) -> str:
    """The id of the platform whose node this is; empty where none of them is told."""
    of = (each.id for each in platforms().values() if each.is_of(labels, provider, kubelet, system, kernel))
    return next(of, "")
