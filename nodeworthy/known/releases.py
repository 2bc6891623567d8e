"""Releases of the GPU operator that we know something of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.containerd import containerd_of, distributions
from nodeworthy.known.tables import table_of
from nodeworthy.known.versions import Span, read_span, span_of
from nodeworthy.records import dataclass, field


@dataclass(frozen=True)
class OperatorRelease:
    version: str
    toolkit: str
    cdi: bool
    behaviour: str
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("releases")


@cache
def releases() -> tuple[OperatorRelease, ...]:
    """Oldest first."""
    source = _table()["source"]
    return tuple(
        OperatorRelease(version, row["toolkit"], row["cdi"], row["behaviour"], source)
        for version, row in _table()["release"].items()
    )


def numbers(version: str) -> tuple[int, ...] | None:
    """A version as numbers to compare by: v26.3.1 is 26, 3, 1. None where it is none."""
    match = re.fullmatch(r"v?(\d+(?:\.\d+)*)(?:[-+].*)?", version.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else None


def release_of(version: str) -> OperatorRelease | None:
    """The row that speaks of a chart's version: the version itself, else the minor release that it belongs to."""
    asked = numbers(version)
    if asked is None:
        return None
    rows = {numbers(each.version): each for each in releases()}
    return rows.get(asked) or rows.get(asked[:2])


def knows_nri(version: str) -> bool:
    """Whether this release of the chart reads cdi.nriPluginEnabled. A version that is none is given the doubt."""
    asked, since = numbers(version), numbers(_table()["nri_since"])
    return asked is None or since is None or asked >= since


def has_cdi_on(asked: Span) -> bool:
    """Whether all of these releases turn CDI on by themselves."""
    first = next((each.version for each in releases() if each.cdi), None)
    since = span_of(first) if first is not None else None
    return since is not None and Span(since.since).covers(asked) is True


def required_of_a_cluster_policy(version: str | None) -> tuple[str, ...]:
    """The fields that a ClusterPolicy needs; those of the newest release where nobody says which it is, or where what
    is said is no version."""
    rows = _table()["cluster_policy"]
    asked = numbers(version) if version is not None else None
    fitting = [row for row in rows if asked is None or asked >= (numbers(row["since"]) or ())]
    return tuple(fitting[-1]["required"]) if fitting else ()


# Releases of the GPU operator that are known to break something, and where: rows of `releases.toml`, typed.

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
    table = table_of("releases")
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
