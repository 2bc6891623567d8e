"""A finding that somebody decided to live with, and why."""

from __future__ import annotations

from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, slots=True)
class Suppression:
    """`# nodeworthy: ignore RULE-ID reason…`, or the annotation `nodeworthy/ignore.RULE-ID: reason…`."""

    rule: str
    reason: str
    # Where it stands.
    place: Place
    # The lines whose findings it suppresses; None for a whole object.
    lines: range | None = None
    # Why it can never have an effect (no reason given, no such rule); None where it may.
    fault: str | None = None

    def covers(self, where: Place, rule: str) -> bool:
        if self.fault is not None or rule != self.rule:
            return False
        if (where.path, where.host, where.object) != (self.place.path, self.place.host, self.place.object):
            return False
        return self.lines is None or (where.line is not None and where.line in self.lines)
