"""Searching in lines that may have holes, within a bound of time."""

from __future__ import annotations

from math import factorial

from nodeworthy.boot.commands.masked import Mask
from nodeworthy.boot.commands.sed_regex import Regex, TooHard

# Steps of a search that backtracks as badly as it can; more are not tried.
_MOST_STEPS = 3_000_000
_PROBES = "x1"


class Search:
    """Raises TooHard where what stands in a hole would matter, or where it may take too long."""

    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        self.steps = 0.0

    def span(self, regex: Regex, text: str, start: int = 0) -> tuple[int, int] | None:
        self._spend(regex, len(text) - start)
        found = regex.pattern.search(text, start)
        span = found.span() if found else None
        # Whatever fills a hole, the same must be found.
        for probe in _PROBES:
            filled = self.mask.filled(text, probe)
            if filled is None:
                return span
            again = regex.pattern.search(filled, start)
            if (again.span() if again else None) != span:
                raise TooHard("it depends on what stands in a hole")
        return span

    def _spend(self, regex: Regex, length: int) -> None:
        power = min(regex.repeats + 1, 8)
        self.steps += 20 + length**power / factorial(power)
        if self.steps > _MOST_STEPS:
            raise TooHard("it may take too long")
