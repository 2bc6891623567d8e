"""From bytes to a timeline: unpacks user data, walks its parts in the order in which they are read."""

from __future__ import annotations

from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import UserData


def timeline_of(userdata: UserData) -> Timeline:
    """What a node does that boots with this user data."""
    raise NotImplementedError
