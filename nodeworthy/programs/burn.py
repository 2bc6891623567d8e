"""gpu-sanity at the level burn: one computation again and again for nearly all of the test's time, and what that does
to the GPU. Each lap must give the same bits; what is told of them is their number, those that differ, and a sample.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import driver
import say

TEST = "gpu-sanity"
# Of all GPUs of a pod together, and of one whose laps differ: of more than a mebibyte nothing is believed.
LOOKS, MOST_WRONG = 400, 20
# Of what all GPUs of a node add up.
SUM_BYTES = int(os.environ.get("NODEWORTHY_SUM_BYTES", str(256 << 20)))
# Of the test's time, for what comes after.
SPARE = 0.05
# When all of it must be over, by the clock that all processes of a machine share: torch takes its time to begin.
BEGAN = time.monotonic()
UNTIL = float(os.environ.get("NODEWORTHY_UNTIL", "0"))
IS_WANTED = bool(os.environ.get("NODEWORTHY_BURN"))


def until(spare: float, part: float = 1.0) -> float:
    """When the laps end, with as many seconds left at least; where GPUs take turns, after a part of all."""
    whole = UNTIL - BEGAN
    return BEGAN + part * (whole - max(spare, SPARE * whole))


def laps(
    lap: Callable[[], str], kernel: dict[str, Any], gpu: dict[str, str], watched: driver.Watched | None, until: float
) -> None:
    """`lap` computes once, and says the checksum of what it made."""
    began = time.monotonic()
    every = (until - began) * int(os.environ.get("NODEWORTHY_GPUS", "8")) / LOOKS
    first, due, wrong, number, gone, took = "", 0.0, 0, 0, 0.0, 0.0
    while not number or began + gone + took < until:
        made = lap()
        number, took = number + 1, time.monotonic() - began - gone
        gone += took
        first = first or made
        wrong += made != first
        if gone >= due or (made != first and wrong <= MOST_WRONG):
            say.measure(TEST, "checksum", made, gpu=gpu, at={**kernel, "round": number})
            due = gone + every if gone >= due else due
            state(watched, gpu, int(gone))
    say.measure(TEST, "burn_laps", number, gpu=gpu)
    say.measure(TEST, "burn_s", round(gone, 1), "s", gpu=gpu)


def state(watched: driver.Watched | None, gpu: dict[str, str], second: int) -> None:
    """How hot it is, what it draws, how fast its clock is, and what holds it back: right after it has computed."""
    if watched is None:
        return
    held = watched.throttled()
    for name, value in watched.state().items():
        say.measure(TEST, f"burn_{name}", value, gpu=gpu, at={"second": second}, throttle=held)
