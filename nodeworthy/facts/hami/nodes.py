"""The nodes of a cluster that HAMi's device plugin goes to, and what keeps it from the others."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.hami.fault import HamiFault
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class HamiPluginNodes:
    called: ClassVar[str] = "HAMi's device plugin in a cluster"

    place: Place
    faults: tuple[HamiFault, ...] = ()
