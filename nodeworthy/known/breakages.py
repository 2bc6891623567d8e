"""Releases of the GPU operator that are known to break something, and where: rows of `releases.toml`, typed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from importlib.resources import files
from typing import Any

from nodeworthy.known.containerd import containerd_of, distributions
from nodeworthy.known.versions import Span, read_span
from nodeworthy.records import dataclass

TOOLKIT = "toolkit"
CDI = "cdi"
NRI = "nri"
CUSTOM_SOCKET = "custom-socket"


@dataclass(frozen=True)
class Breakage:
    id: str
    releases: Span
    says: str
    because: str
    remedy: str
    source: str
    # Of the toolkit in it, where the fault is the toolkit's own.
    toolkit: Span | None = None
    distributions: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()
    containerd: tuple[Span, ...] = ()
    kubernetes: Span | None = None
    needs: tuple[str, ...] = ()
    # Variables of toolkit.env and how their values begin.
    given: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
    doubt: str = ""
    # Another breakage that comes of the same, and says more.
    told_by: str = ""

    @property
    def depends_on_the_pool(self) -> bool:
        return bool(self.distributions or self.containerd or self.kubernetes)


@cache
def breakages() -> tuple[Breakage, ...]:
    """Oldest first."""
    table = tomllib.loads(files(__package__).joinpath("releases.toml").read_text(encoding="utf-8"))
    return tuple(map(_row, table["breakage"]))


def _row(row: Mapping[str, Any]) -> Breakage:
    return Breakage(
        id=row["id"],
        releases=read_span(row),
        says=row["says"],
        because=row["because"],
        remedy=row["remedy"].format_map({name: _env(name) for name in distributions()}),
        source=row["source"],
        toolkit=read_span(row["toolkit"]) if "toolkit" in row else None,
        distributions=tuple(row.get("distributions", ())),
        not_on=tuple(row.get("not_on", ())),
        containerd=tuple(map(read_span, row.get("containerd", ()))),
        kubernetes=read_span(row["kubernetes"]) if "kubernetes" in row else None,
        needs=tuple(row.get("needs", ())),
        given=row.get("given", {}),
        without=row.get("without", {}),
        doubt=row.get("doubt", ""),
        told_by=row.get("told_by", ""),
    )


def _env(distribution: str) -> str:
    """What toolkit.env must say there."""
    return ", ".join(f"{name}={value}" for name, value in containerd_of(distribution).toolkit_env.items())
