"""One thing in which a boot went another way than its timeline said."""

from __future__ import annotations

from nodeworthy.boot.effects import Effect
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Difference:
    """What the timeline said, what was seen, and by which line of the script."""

    says: str
    seen: str
    effect: Effect | None = None

    def __str__(self) -> str:
        where = f"line {self.effect.place.line}: " if self.effect else ""
        command = f" ({self.effect.command})" if self.effect and self.effect.command else ""
        return f"{where}the timeline says: {self.says}{command}; seen: {self.seen}"
