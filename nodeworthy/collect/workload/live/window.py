"""When a run may hold GPUs: `22:00-06:00`, with days or without (`22:00-06:00 Mon-Fri`), by the clock of who asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_WRITTEN = pattern(r"(\d\d):(\d\d)-(\d\d):(\d\d)(?: +([A-Za-z,-]+))?")


@dataclass(frozen=True)
class Window:
    written: str
    # Minutes of the day; one that ends before it begins ends on the next day.
    begins: int
    ends: int
    # On which it begins, from Monday on.
    days: frozenset[int]

    def seconds_left(self, now: datetime) -> float:
        """Until it ends; 0 outside of it."""
        lasts = (self.ends - self.begins) % (24 * 60) or 24 * 60
        for back in (0, 1):
            day = now - timedelta(days=back)
            if day.weekday() in self.days:
                begins = day.replace(hour=self.begins // 60, minute=self.begins % 60, second=0, microsecond=0)
                ends = begins + timedelta(minutes=lasts)
                if begins <= now < ends:
                    return (ends - now).total_seconds()
        return 0.0


def read_window(text: str) -> Window:
    """Raises InputError."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{text!r} is no window: write it as 22:00-06:00, or with days as '22:00-06:00 Mon-Fri'")
    hours = [int(each) for each in found.groups()[:4]]
    if max(hours[0], hours[2]) > 23 or max(hours[1], hours[3]) > 59:
        raise InputError(f"{text!r} is no window: a day has 24 hours of 60 minutes")
    days = _days(found[5].split(","), text) if found[5] else frozenset(range(7))
    return Window(text.strip(), 60 * hours[0] + hours[1], 60 * hours[2] + hours[3], days)


def _days(parts: Sequence[str], text: str) -> frozenset[int]:
    """The days of `Mon-Fri` and `Sat,Sun`. A range may begin before the week does (`Sat-Mon`)."""
    found: set[int] = set()
    for part in parts:
        first, _, last = part.partition("-")
        if not {first.title(), (last or first).title()} <= set(DAYS):
            raise InputError(f"{text!r} is no window: days are {', '.join(DAYS)}")
        one, other = DAYS.index(first.title()), DAYS.index((last or first).title())
        found |= {(one + more) % 7 for more in range((other - one) % 7 + 1)}
    return frozenset(found)
