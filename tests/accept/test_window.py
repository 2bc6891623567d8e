"""When a run may hold GPUs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from nodeworthy.collect.workload.live.window import read_window
from nodeworthy.errors import InputError

# A Friday.
FRIDAY = datetime(2026, 11, 27, tzinfo=UTC)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return FRIDAY.replace(day=27 + day, hour=hour, minute=minute)


@pytest.mark.parametrize(
    ("window", "now", "minutes"),
    [
        ("22:00-06:00", at(0, 21, 59), 0),
        ("22:00-06:00", at(0, 22), 480),
        ("22:00-06:00", at(1, 5, 59), 1),
        ("22:00-06:00", at(1, 6), 0),
        ("09:00-17:30", at(0, 17), 30),
        # It belongs to the day on which it begins.
        ("22:00-06:00 Fri", at(1, 1), 300),
        ("22:00-06:00 Sat", at(1, 1), 0),
        ("22:00-06:00 Mon-Thu", at(0, 23), 0),
        ("22:00-06:00 Sat-Mon,Fri", at(0, 23), 420),
        ("00:00-00:00", at(0, 12), 720),
    ],
)
def test_what_is_left_of_it(window: str, now: datetime, minutes: int) -> None:
    assert read_window(window).seconds_left(now) == 60 * minutes


@pytest.mark.parametrize("text", ["night", "22-06", "25:00-06:00", "22:60-06:00", "22:00-06:00 Someday", "22:00"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no window"):
        read_window(text)
