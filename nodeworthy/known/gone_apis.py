"""Versions of Kubernetes' API in which a kind was served once: `gone_apis.toml`."""

from __future__ import annotations

from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class GoneApi:
    until: str
    # Empty where the kind is gone altogether.
    now: str


@cache
def _gone() -> dict[tuple[str, str], GoneApi]:
    rows = table_of("gone_apis")["gone"]
    return {(row["version"], kind): GoneApi(row["until"], row["now"]) for row in rows for kind in row["kinds"]}


def gone_api(version: str, kind: str) -> GoneApi | None:
    return _gone().get((version, kind)) if "beta" in version or "alpha" in version else None
