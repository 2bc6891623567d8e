"""Dynamic Resource Allocation: the versions of its API, and what NVIDIA's driver makes. The table of `dra.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

GROUP = "resource.k8s.io"
# How a request says its class.
IN_SPEC, IN_REQUEST, IN_EXACTLY = "spec", "request", "exactly"


@dataclass(frozen=True)
class DraVersion:
    name: str
    # Minor releases of Kubernetes.
    since: int
    until: int | None
    named: str
    is_over: bool

    def is_in(self, minor: int) -> bool:
        return self.since <= minor and (self.until is None or minor <= self.until)

    @property
    def span(self) -> str:
        last = f" to 1.{self.until}" if self.until is not None else " and later"
        return f"Kubernetes 1.{self.since}{last if self.until != self.since else ''}"


@cache
def _table() -> Mapping[str, Any]:
    return table_of("dra")


@cache
def dra_versions() -> Mapping[str, DraVersion]:
    rows = _table()["version"].items()
    return {
        name: DraVersion(name, row["since"], row.get("until"), row["named"], row.get("is_over", False))
        for name, row in rows
    }


def version_for(minor: int) -> DraVersion | None:
    """The newest that this Kubernetes serves."""
    return next((each for each in reversed(list(dra_versions().values())) if each.is_in(minor)), None)


def nvidias_classes() -> tuple[str, ...]:
    return tuple(_table()["nvidia"]["classes"])


def classes_of_gpus() -> frozenset[str]:
    """The classes that the driver makes only where it hands out GPUs."""
    return frozenset(_table()["nvidia"]["gpus"])


def is_nvidias(device_class: str) -> bool:
    domain = _table()["nvidia"]["domain"]
    return device_class == domain or device_class.endswith(f".{domain}")


def driver_charts() -> frozenset[str]:
    return frozenset(_table()["nvidia"]["charts"])


def driver_roots() -> tuple[str, str]:
    """Where the driver is: on the host, and where the operator's containers bring it."""
    return _table()["nvidia"]["host_root"], _table()["nvidia"]["operators_root"]
