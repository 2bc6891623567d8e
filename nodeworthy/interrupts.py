"""Ends a command whenever somebody wants that (Ctrl-C, SIGTERM, a closed terminal), wherever it is at that moment.

Python raises what a signal's handler raises where it happens to be, and not every place hands it on: a finaliser, a
callback of a library in C, a module's bare `except`. So it is raised again until it is on its way. What has to be done
whole (a process is started and written down, what was made is removed) holds it off until then; what is to be removed
is written down before it is made, and removed by whoever ends the process if nobody did.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

# As few modules as can be: while they are read, an interrupt is Python's, which shows where it was.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
# Seconds until it is raised again where it got lost.
_AGAIN = 0.05


class Interrupted(KeyboardInterrupt):
    """The user wants us to end."""


# What is to be removed, in the order in which it was made.
_TIDIES: list[Callable[[], object]] = []


class _Now:
    is_ours = False
    # Whether there is anybody yet, or still, whom it would be raised to.
    is_raised = False
    number: int | None = None
    held = 0


def begin() -> None:
    """Begins to listen, in a process that is ours alone, as early as can be. Signals that its parent ignores stay
    ignored."""
    if _Now.is_ours:
        return
    _Now.is_ours = True
    for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _on_signal)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _again)
    told, sys.unraisablehook = sys.unraisablehook, lambda lost: _tell_but_ours(told, lost)


def is_ours() -> bool:
    """Whether the process is ours alone."""
    return _Now.is_ours


def begin_anew() -> None:
    """In a copy of the process, which ends as soon as somebody wants that: what is to be removed is its parent's."""
    for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
        if signal.getsignal(number) is _on_signal:
            signal.signal(number, signal.SIG_DFL)
    _TIDIES.clear()


def _tell_but_ours(told: Callable[[Any], object], lost: Any) -> None:
    if not isinstance(lost.exc_value, Interrupted):
        told(lost)


def _on_signal(number: int, _: FrameType | None) -> None:
    if not _Now.is_raised:
        _leave(number)
    _Now.number = _Now.number or number
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    pass_on()


def _again(*_: object) -> None:
    pass_on()


def pass_on() -> None:
    """Raises it where somebody has asked for it, and nobody has it in hand."""
    if _Now.number is not None and _Now.is_raised and not _Now.held and not _is_on_its_way():
        raise Interrupted


def tell_nothing_more() -> None:
    """Raises for whoever is about to report a failure that followed from the interrupt: it is no news."""
    if _Now.number is not None:
        raise Interrupted


def _is_on_its_way() -> bool:
    each = sys.exc_info()[1]
    while each is not None:
        if isinstance(each, Interrupted):
            return True
        each = each.__context__
    return False


def signal_of_end() -> int | None:
    return _Now.number


def forget() -> None:
    """Forgets the interrupt where ending was what was waited for."""
    _Now.number = None
    _raise_no_more()


def _raise_no_more() -> None:
    if hasattr(signal, "setitimer") and _Now.is_ours:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def hold() -> Iterator[None]:
    """Holds interrupts back until the block has ended, so that it is never left half done."""
    _Now.held += 1
    try:
        yield
    finally:
        _Now.held -= 1
    pass_on()


class tidied:  # noqa: N801 - it reads as the function that it is to its callers
    """`tidy` is called at the end, whatever happens, once and whole; also where nothing has begun yet."""

    def __init__(self, tidy: Callable[[], object]) -> None:
        self._tidy = tidy

    def __enter__(self) -> None:
        _TIDIES.append(self._tidy)

    def __exit__(self, *_: object) -> None:
        with hold():
            _TIDIES.remove(self._tidy)
            self._tidy()


def until_ended(work: Callable[[], int]) -> int:
    """Runs the work and returns its exit code; where it was interrupted, it does not return."""
    try:
        _Now.is_raised = True
        code = work()
    except Interrupted:
        code = 128 + signal.SIGINT
    finally:
        _Now.is_raised = False
        if _Now.number is not None:
            _leave(_Now.number)
    return code


def _leave(number: int) -> NoReturn:
    """At once: threads that wait for somebody are not waited for."""
    _Now.held += 1
    _raise_no_more()
    while _TIDIES:
        with suppress(Exception):  # nobody is left who could be told
            _TIDIES.pop()()
    os._exit(128 + number)


@contextmanager
def terminate_like_interrupt() -> Iterator[None]:
    """Where the process is somebody else's (pytest's): a SIGTERM, by which CI ends what takes too long, ends it as
    Ctrl-C does."""

    import threading

    def stop(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    if _Now.is_ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
