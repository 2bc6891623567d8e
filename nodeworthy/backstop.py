"""Gives up what computes for too long, whatever shape of an input makes it do so: that costs the one its verdict, and
nobody else's.

While a command watches, a timer ticks with the time that the process computes; how loaded the machine is does not
count. What is done piece by piece (a file that is read, a rule that judges a subject) may take so many ticks, and ends
with TookTooLong. It is no bound of each loop: those stand in `limits`. It is for those that nobody has thought of.

There is none in another thread than the first, nor where the system has no such timer (Windows). A signal reaches
Python between two of its steps, and a regular expression every few thousand of its own: what else is written in C comes
to its end first.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from nodeworthy.limits import GIVEN_UP_IN_FULL, SECONDS
from nodeworthy.records import dataclass, field

T = TypeVar("T")
TICK = 0.5


class TookTooLong(BaseException):
    """A program that catches every exception does not catch this one."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.why = f"it took longer than {seconds:,.0f} s of computing, and was given up"


@dataclass
class Watch:
    """What one command has given up."""

    stops: int = 0
    # Since the piece that is being done began.
    used: float = 0.0
    most: float = 0.0
    runs: bool = False
    thread: int = field(default_factory=threading.get_ident)

    def tick(self, *_: Any) -> None:
        """Raises again and again until the work ends: what Python calls at its own time (a finaliser) swallows
        exceptions."""
        self.used += TICK
        if self.runs and self.used > self.most:
            raise TookTooLong(self.most)


class _Now:
    watch: Watch | None = None


@contextmanager
def watch_time() -> Iterator[Watch]:
    """Starts the timer, if this is the first thread and nobody else uses the timer. Else nothing is given up."""
    if _Now.watch is not None or not _may_watch():
        yield _Now.watch or Watch()
        return
    watch = _Now.watch = Watch()
    before = signal.signal(signal.SIGPROF, watch.tick)
    signal.setitimer(signal.ITIMER_PROF, TICK, TICK)
    try:
        yield watch
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        _Now.watch = None


def begin_anew() -> None:
    """In a copy of the process: it has its watch, and not the timer."""
    if _Now.watch is not None:
        signal.setitimer(signal.ITIMER_PROF, TICK, TICK)


def count_stops() -> int:
    """How much was given up so far."""
    return _Now.watch.stops if _Now.watch is not None else 0


def note_stops(stops: int) -> None:
    """Of what was done in a copy of the process."""
    if _Now.watch is not None:
        _Now.watch.stops += stops


def _may_watch() -> bool:
    has_timer = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    return has_timer and signal.getsignal(signal.SIGPROF) is signal.SIG_DFL


def call_bounded(function: Callable[..., T], *arguments: Any, seconds: float = 0) -> T:
    """Calls the function and returns its result. Raises TookTooLong. Where one bounded call is inside another, only the
    outer one is timed."""
    watch = _Now.watch
    if watch is None or watch.runs or watch.thread != threading.get_ident():
        return function(*arguments)
    # Many of them are somebody's intention, and each is as long as all that is in order.
    seconds = seconds or SECONDS
    watch.used, watch.most = 0.0, seconds if watch.stops < GIVEN_UP_IN_FULL else seconds / 10
    try:
        watch.runs = True
        return function(*arguments)
    except TookTooLong:
        watch.stops += 1
        raise
    finally:
        watch.runs = False


def allow(seconds: float) -> None:
    """The piece that is being done turned out to be a large one."""
    watch = _Now.watch
    if watch is not None and watch.runs and watch.thread == threading.get_ident():
        watch.most += seconds
