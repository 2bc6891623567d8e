"""Where a boot went another way than its timeline said."""

from __future__ import annotations

from nodeworthy.boot.timeline import Timeline
from nodeworthy.lab import failures, files, modules, order, units
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Course, Told


def differences(timeline: Timeline, seen: Observation, course: Course) -> list[Difference]:
    told = Told(timeline, course)
    return [found for each in (files, modules, units, failures, order) for found in each.differences(told, seen)]
