"""A node's clock, by what keeps it."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


@dataclass(frozen=True)
class NodeClock:
    place: Place
    # Whether the kernel counts its clock as synchronised.
    is_kept: Located[bool]
    # How far chrony says it is off, in seconds; None where there is no chrony.
    off_by: Located[float | None]
