"""What a provisioner of volumes can't make for many nodes at once. The table of `volumes.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class OfOneNode:
    provisioner: str
    is_made: str
    instead: str


@cache
def disk_provisioners() -> Mapping[str, OfOneNode]:
    """By the name of the provisioner."""
    rows = table_of("volumes")["provisioner"]
    return {row["provisioner"]: OfOneNode(row["provisioner"], row["is"], row["instead"]) for row in rows}
