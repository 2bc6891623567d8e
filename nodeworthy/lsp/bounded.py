"""One text at a time, in a thread of its own, and none longer or larger than it may be: the next one waits for it."""

from __future__ import annotations

import asyncio
import ctypes
import mmap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, TypeVar

from nodeworthy.limits import EDITOR_BYTES, EDITOR_SECONDS

T = TypeVar("T")
LOOK_SECONDS = 0.1
_MEMORY = Path("/proc/self/statm")


class GaveUp(Exception):
    """It was not judged, and why."""


class _Stop(BaseException):
    """Raised within what takes too long; nobody who catches exceptions means this one."""


class Judge:
    def __init__(self, seconds: float = EDITOR_SECONDS, most_bytes: int = EDITOR_BYTES) -> None:
        self._seconds = seconds
        self._bytes = most_bytes
        self._pool = ThreadPoolExecutor(1, "judge")
        self._turn = asyncio.Lock()

    def soon(self, function: Callable[[], object]) -> None:
        self._pool.submit(function)

    async def of(self, function: Callable[..., T], *arguments: Any) -> T:
        """What it returns, or raises. Raises GaveUp where that takes too long or too much."""
        async with self._turn:
            work = _Work(lambda: function(*arguments))
            future = asyncio.get_running_loop().run_in_executor(self._pool, work)
            while not (await asyncio.wait({future}, timeout=LOOK_SECONDS))[0]:
                why = work.too_much(self._seconds, self._bytes)
                if why:
                    self._leave(work, future)
                    raise GaveUp(why)
            return future.result()

    def _leave(self, work: _Work[T], future: asyncio.Future[T]) -> None:
        """The thread may be deep within something that no exception reaches: the next text has another one."""
        future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        work.stop()
        self._pool.shutdown(wait=False)
        self._pool = ThreadPoolExecutor(1, "judge")


class _Work(Generic[T]):
    """Something that is done in another thread: since when, and with how much memory before it."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._thread = 0
        self._began = 0.0
        self._held = 0

    def __call__(self) -> T:
        self._held, self._began, self._thread = _memory(), time.monotonic(), threading.get_ident()
        return self._function()

    def too_much(self, seconds: float, most_bytes: int) -> str:
        """Why it must not go on; empty where it may."""
        if not self._thread:
            return ""  # it waits for what is done before it
        if time.monotonic() - self._began > seconds:
            return f"it takes longer than {seconds:g} s"
        return f"it takes more than {most_bytes // 2**20} MiB of memory" if _memory() - self._held > most_bytes else ""

    def stop(self) -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(_Stop))


def _memory() -> int:
    """What the process holds now; where nobody says it, there is no bound."""
    try:
        return int(_MEMORY.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    except OSError:
        return 0
