"""A finding that somebody decided to live with, and why."""

from __future__ import annotations

from dataclasses import dataclass

from nodeworthy.verdict import Place


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# nodeworthy: ignore RULE-ID reason…`, at the end of the line that it speaks of or alone above it."""

    rule: str
    reason: str
    place: Place
    # The line whose findings are suppressed: the comment's own, or the one beneath it.
    line: int | None
    # Why it can never have an effect (no reason given, no such rule); None where it may.
    fault: str | None = None
