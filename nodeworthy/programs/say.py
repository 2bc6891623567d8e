"""How a program speaks: lines of JSON with the run's nonce, between two marks; and how it ends, whatever happens.

A copy lies beside each program. The nonce, the node's name and the deadline come by the environment.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

NONCE = os.environ.get("NODEWORTHY_NONCE", "")
NODE = os.environ.get("NODEWORTHY_NODE") or socket.gethostname()
RANK = int(os.environ.get("RANK", "0"))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))
# What a pipe takes at once, so that lines of several processes never mix.
LONGEST = 4000
ERROR_CHARACTERS = 400
# A look at the clock, and how long a process that hangs in a driver has to end when it is told to.
WATCH_SECONDS = 1.0


def measure(test: str, name: str, value: Any, unit: str = "", **more: Any) -> None:
    """`gpu`, `at` and `throttle` may be given."""
    _line({"test": test, "name": name, "value": value, "unit": unit, "at": {}, "throttle": [], **more})


def end(test: str, kind: str = "", text: str = "") -> None:
    error = {"kind": kind, "text": text[:ERROR_CHARACTERS]} if kind else None
    _line({"test": test, "end": True, "ok": error is None, "error": error})


def _line(data: dict[str, Any]) -> None:
    whole = {
        "v": 1,
        "nonce": NONCE,
        "host": NODE,
        "rank": RANK,
        "world": WORLD,
        "t": round(time.monotonic(), 3),
        **data,
    }
    text = json.dumps({name: value for name, value in whole.items() if value is not None or name == "value"})
    if len(text) > LONGEST:
        raise ValueError("a line is longer than a pipe takes at once")
    sys.stdout.flush()
    os.write(1, (text + "\n").encode())


def run(test: str, work: Callable[[], None]) -> int:
    """The work, and its end: nothing that it raises goes unsaid."""
    watch()
    try:
        work()
    except ModuleNotFoundError as problem:
        end(test, "torch-missing" if problem.name == "torch" else "program", str(problem))
        return 1
    except Exception as problem:  # noqa: BLE001 - its words are what is known of it
        end(test, kind_of(problem), f"{type(problem).__name__}: {problem}")
        return 1
    end(test)
    return 0


def kind_of(problem: BaseException) -> str:
    said = f"{type(problem).__name__}: {problem}".lower()
    signs = (
        ("oom", ("out of memory", "outofmemory")),
        ("rank-missing", ("monitoredbarrier", "ranks failed")),
        ("shared-memory", ("shared memory", "shm")),
        ("worker-died", ("dataloader worker", "worker exited")),
        ("shard", ("pytorchstreamreader", "checkpoint", "zip archive", "metadata")),
        ("download", ("urlerror", "httperror")),
        ("nccl", ("nccl",)),
        ("timeout", ("timeout", "timed out", "connection closed by peer", "connection reset")),
        ("cuda", ("cuda",)),
    )
    return next((kind for kind, words in signs if any(word in said for word in words)), "program")


def watch() -> None:
    """A process that hangs in a driver hears no signal; a thread of its own still ends it, and all that it began."""
    seconds = float(os.environ.get("NODEWORTHY_SECONDS", "0"))
    if seconds > 0:
        threading.Thread(target=_watch, args=(time.monotonic() + seconds,), daemon=True).start()


def _watch(until: float) -> None:
    while time.monotonic() < until:
        time.sleep(min(WATCH_SECONDS, max(0.0, until - time.monotonic())))
    os._exit(124)


class Stop:
    """Whether somebody has asked for the end: by a signal to this process, or by a file that all of them see."""

    def __init__(self, file: str | None = None) -> None:
        self.asked = False
        self._file = file
        for each in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(each, self._hear)

    def _hear(self, *_: Any) -> None:
        self.asked = True

    def __call__(self) -> bool:
        return self.asked or bool(self._file and os.path.exists(self._file))
