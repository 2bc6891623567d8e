"""Looks again and again, until every boot has ended or the time is over: a fresh node is not ready at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from testinfra.host import Host

from nodeworthy.collect.node.asked import Asked
from nodeworthy.collect.node.backends import Replay
from nodeworthy.collect.node.readiness import why_not_ready
from nodeworthy.collect.node.recording import Recording
from nodeworthy.records import dataclass

EVERY_SECONDS = 2.0


@dataclass(frozen=True)
class Waiting:
    """How far it is: the first of the hosts that are waited for, why, and for how long at most."""

    ready: int
    of: int
    name: str
    why: str
    left: float


Look = Callable[[Sequence[Host]], Sequence[Asked]]
Watching = Callable[[Waiting], None]
WhyNot = Callable[[Recording], str | None]


def until_ready(
    hosts: Sequence[Host],
    look: Look,
    seconds: float,
    watching: Watching | None = None,
    why_not: WhyNot = why_not_ready,
) -> list[Asked]:
    """What each host said last."""
    until = time.monotonic() + seconds
    asked = list(look(hosts))
    while True:
        late = {at: why for at, host in enumerate(hosts) if (why := _why(host, asked[at], why_not)) is not None}
        left = until - time.monotonic()
        if watching is not None:
            watching(_state(asked, late, left))
        if not late or left <= 0:
            return asked
        time.sleep(min(EVERY_SECONDS, left))
        again = look([hosts[at] for at in late])
        for at, each in zip(late, again, strict=True):
            asked[at] = each


def _why(host: Host, asked: Asked, why_not: WhyNot) -> str | None:
    """What was recorded changes no more."""
    if asked.recording is None or isinstance(host.backend, Replay):
        return None
    return why_not(asked.recording)


def _state(asked: Sequence[Asked], late: dict[int, str], left: float) -> Waiting:
    first, why = next(iter(late.items()), (None, ""))
    name = asked[first].name if first is not None else ""
    return Waiting(len(asked) - len(late), len(asked), name, why, max(0.0, left))
