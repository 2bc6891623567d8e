"""What is told while hosts are asked and waited for: one changing line in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.node.waiting import Waiting

SPARSE_SECONDS = 15.0


def asked(options: argparse.Namespace) -> Callable[[int, int, str], None] | None:
    return _asked if sys.stderr.isatty() and not options.quiet else None


def _asked(done: int, of: int, name: str) -> None:
    _change(f"{done} of {of} hosts asked, the last: {name}", last=done == of)


def waiting(options: argparse.Namespace) -> Callable[[Waiting], None] | None:
    if options.quiet:
        return None
    return _in_terminal if sys.stderr.isatty() else Sparse()


def _in_terminal(now: Waiting) -> None:
    over = f"; {_time(now.left)} left" if now.why else ""
    _change(f"{_state(now)}{over}", last=not now.why or now.left <= 0)


class Sparse:
    """For logs: at the beginning and the end, and now and then when something has changed."""

    def __init__(self) -> None:
        self._said = ""
        self._when = -math.inf

    def __call__(self, now: Waiting) -> None:
        state = _state(now)
        ends = not now.why or now.left <= 0
        if state == self._said or not (ends or time.monotonic() - self._when >= SPARSE_SECONDS):
            return
        self._said, self._when = state, time.monotonic()
        print(on_one_line(state), file=sys.stderr, flush=True)


def _state(now: Waiting) -> str:
    late = f"; {now.name}: {now.why}" if now.why else ""
    return f"{now.ready} of {now.of} hosts have booted{late}"


def _change(text: str, *, last: bool) -> None:
    shown = on_one_line(text)[: shutil.get_terminal_size().columns - 1]
    print(f"\r\033[K{shown}", end="\n" if last else "", file=sys.stderr, flush=True)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest:02}s" if minutes else f"{rest}s"
