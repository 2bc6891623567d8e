"""What AWS means where it says why a machine was not started."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class LaunchFailure:
    sign: str
    named: str
    means: str
    remedy: str | None


_OTHER = LaunchFailure("", "for a reason that is not known here", "the group has fewer machines than it wants", None)


def failure_of(said: str) -> LaunchFailure:
    return next((each for each in _failures() if pattern(each.sign, re.IGNORECASE).search(said)), _OTHER)


@cache
def _failures() -> tuple[LaunchFailure, ...]:
    said = table_of("launch_failures")
    return tuple(LaunchFailure(each["sign"], each["named"], each["means"], each["remedy"]) for each in said["failures"])
