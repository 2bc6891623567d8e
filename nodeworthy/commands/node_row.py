"""A host's row in the table: asked, waited for, not seen, or judged."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import Paint

ASKING = "asking"
# In the order in which one wants to see them, and how they are painted.
_COUNTED = {"fail": "fail", "error": "error", "unknown": "unknown", "pass": "pass"}


@dataclass(frozen=True)
class Row:
    # Why it is not ready yet.
    why: str = ""
    unseen: str = ""
    counts: Mapping[str, int] | None = None
    # How long it was waited for; None where nobody waits.
    after: float | None = None

    @property
    def is_done(self) -> bool:
        return bool(self.unseen) or self.counts is not None

    @property
    def order(self) -> int:
        """First whoever is not well, last whoever is."""
        if not self.is_done:
            return 1
        counts = self.counts or {}
        return 0 if self.unseen or any(counts.get(each) for each in ("fail", "error", "unknown")) else 2

    def told(self, room: int, paint: Paint, seconds: float) -> str:
        """In that many columns; `seconds` have gone by since the first was asked."""
        when = self.after if self.is_done else seconds if self.why else None
        if when is None:
            return self._said(room, paint)
        time = f"{time_of(when):>7}"
        return f"{paint('dim', time)}  {self._said(max(room - len(time) - 2, 0), paint)}"

    def _said(self, room: int, paint: Paint) -> str:
        if self.counts is not None:
            return _counted(self.counts, room, paint)
        text = on_one_line(self.unseen or self.why or ASKING)[:room]
        return paint("error" if self.unseen else "dim", text)


def time_of(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest:02}s" if minutes else f"{rest}s"


def _counted(counts: Mapping[str, int], room: int, paint: Paint) -> str:
    told = [(style, f"{counts[kind]} {kind}") for kind, style in _COUNTED.items() if counts.get(kind)]
    kept: list[str] = []
    for style, text in told or [("dim", "nothing was judged")]:
        if len(text) > room:
            break
        room -= len(text) + 2
        kept.append(paint(style, text))
    return ", ".join(kept)
