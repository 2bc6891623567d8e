"""One start of a program, several runs of it: the process is parted where the program first waits for its engine.

Until then nothing that an engine says can have made a difference to it, and most of its time is over: that of imports.
From then on each run is a process of its own with an engine of its own. A program that holds what processes can't share
is not parted; its engine hears of that at once, and starts it once more for every run.
"""

from __future__ import annotations

import asyncio
import gc
import os
import pathlib
import sys
import threading
import typing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

PARTED, ALONE = b"parted\n", b"alone\n"
# One run that removes it at its end would take it from the others.
TEMPORARY = frozenset({"tempfile.mkdtemp", "tempfile.mkstemp", "os.mkdir"})


class Parting(ThreadPoolExecutor):
    """Where the loop lets its threads wait for the engine: what it is first given is the first thing waited for."""

    def __init__(self, engines: Sequence[str], words: Sequence[int], workers: int, loop: typing.Any) -> None:
        super().__init__(max_workers=workers)
        self.address = engines[0]
        self._others = tuple(zip(engines[1:], words, strict=True))
        self._loop = loop
        self._lock = threading.Lock()
        self._begun = False
        self._keeps_files = False
        self._open: set[tuple[str, str]] = set()
        # Where a run that was parted from the first one says how it ended.
        self._word: int | None = None
        for word in words:
            os.set_inheritable(word, False)

    def begin(self) -> None:
        """Marks the point from which on the program runs."""
        self._begun = True
        if self._others:
            self._open = _open_now()
            sys.addaudithook(self._notice)

    def submit(self, work: Callable[..., typing.Any], /, *args: typing.Any, **named: typing.Any) -> Future[typing.Any]:
        if self._begun:
            self.now()
            return super().submit(work, *args, **named)
        # What the SDK asks before the program begins is answered in this process: no thread is needed for it.
        return _done(work, *args, **named)

    def now(self) -> None:
        with self._lock:
            others, self._others = self._others, ()
            if others and self._can_part():
                gc.freeze()
                self._part(others)
            else:
                for _, word in others:
                    os.write(word, ALONE)
            for _, word in others:
                if word != self._word:
                    os.close(word)

    def leave(self, code: int) -> None:
        """Ends a run that was parted from the first one; what was to be done at the end of both, the first one does."""
        if self._word is not None:
            os.write(self._word, f"{code}\n".encode())
            os._exit(code)

    def _part(self, others: Sequence[tuple[str, int]]) -> None:
        for address, word in others:
            try:
                child = os.fork()
            except OSError:  # no more processes: what has no word to say is run by itself
                return
            if child == 0:
                self.address, self._word = address, word
                os.write(word, PARTED)
                _say_no_more()
                self._wake_alone()
                return

    def _wake_alone(self) -> None:
        """A loop is woken through sockets, which are no longer this process's alone."""
        self._loop._close_self_pipe()
        self._loop._make_self_pipe()
        asyncio.set_event_loop(self._loop)
        if self._loop.is_running():
            asyncio._set_running_loop(self._loop)

    def _can_part(self) -> bool:
        one_thread = len(list(pathlib.Path("/proc/self/task").iterdir())) == 1
        return one_thread and not self._keeps_files and _open_now() <= self._open and not _has_children()

    def _notice(self, event: str, args: tuple[typing.Any, ...]) -> None:
        if event in TEMPORARY and not self._keeps_files:
            self._keeps_files = "__pycache__" not in str(args[:1])


def _done(work: Callable[..., typing.Any], *args: typing.Any, **named: typing.Any) -> Future[typing.Any]:
    result: Future[typing.Any] = Future()
    try:
        result.set_result(work(*args, **named))
    except Exception as problem:  # noqa: BLE001 (it is raised where the result is waited for, as from any thread)
        result.set_exception(problem)
    return result


def _open_now() -> set[tuple[str, str]]:
    """Every open file, socket and pipe, by its number and what it is."""
    found = set()
    for number in pathlib.Path("/proc/self/fd").iterdir():
        try:
            found.add((number.name, str(number.readlink())))
        except FileNotFoundError:
            continue  # the one by which the others were listed
    return found


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _say_no_more() -> None:
    """Silences this run: everything that it prints, the first one prints too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
