"""Waits until a run holds nothing any more."""

from __future__ import annotations

import time

from nodeworthy.collect.workload.live.piece import WatchedPlatform
from nodeworthy.errors import CouldNotLook


def wait_until_gone(platform: WatchedPlatform, seconds: float, poll: float) -> bool:
    """Whether all its pods are gone within that time."""
    until = time.monotonic() + seconds
    while True:
        try:
            if platform.is_gone():
                return True
        except CouldNotLook:
            pass  # it is asked again until the time is over
        if time.monotonic() >= until:
            return False
        time.sleep(poll)
