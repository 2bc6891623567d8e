"""Archives, keys and manifests that nobody answers for any more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class GoneSource:
    words: Sequence[str]
    asks: re.Pattern[str]
    beside: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    called: str
    now: str
    says: str
    should: str

    def is_asked_in(self, text: str) -> bool:
        """Whether a text that names it asks it for something, and nothing there takes its place."""
        if self.beside is not None and self.beside.search(text) is None:
            return False
        return self.unless is None or self.unless.search(text) is None


@cache
def gone_sources() -> Sequence[GoneSource]:
    return [_gone_source(each) for each in table_of("gone_sources")["source"]]


def _gone_source(entry: dict[str, Any]) -> GoneSource:
    beside, unless = entry.get("beside"), entry.get("unless")
    return GoneSource(
        entry["words"],
        pattern(entry["pattern"]),
        pattern(beside) if beside else None,
        pattern(unless) if unless else None,
        entry["called"],
        entry["now"],
        entry["says"],
        entry["should"],
    )
