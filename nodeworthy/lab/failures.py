"""What became of the script where a command of it failed, against what its timeline said would."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Failure
from nodeworthy.lab.difference import Difference
from nodeworthy.lab.observation import Observation
from nodeworthy.lab.told import Told


def differences(told: Told, _seen: Observation) -> Iterator[Difference]:
    for effect in told.timeline.effects:
        stops = effect.failure is Failure.STOPS
        if effect.place.line == told.course.stopped and not stops:
            yield Difference(f"where it fails, {effect.failure.value}", "the script stopped", effect)
        if effect.place.line in told.course.failed and stops:
            yield Difference(f"where it fails, {effect.failure.value}", "the script went on", effect)
