"""How long ago something began, where both that and the time of the look are known."""

from __future__ import annotations

from datetime import datetime, timedelta


def has_lasted(since: datetime | None, now: datetime | None, least: timedelta) -> bool:
    return since is not None and now is not None and now - since >= least


def has_just_begun(since: datetime | None, now: datetime | None, less_than: timedelta) -> bool:
    return since is not None and now is not None and now - since < less_than
