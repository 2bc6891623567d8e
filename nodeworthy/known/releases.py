"""Releases of the GPU operator that we know something of."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from nodeworthy.known.versions import Span, span_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class OperatorRelease:
    version: str
    toolkit: str
    cdi: bool
    behaviour: str
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("releases.toml").read_text(encoding="utf-8"))


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
    """Of the newest release where nobody says which, or what is said is no version."""
    rows = _table()["cluster_policy"]
    asked = numbers(version) if version is not None else None
    fitting = [row for row in rows if asked is None or asked >= (numbers(row["since"]) or ())]
    return tuple(fitting[-1]["required"]) if fitting else ()
