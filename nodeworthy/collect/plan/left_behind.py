"""What a program started and left behind: on Linux it comes to us when its parent ends, and is ended, too.

A process that leaves the program's group (a daemon does) would outlive the preview otherwise, with all that it may do.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
# Whatever forks faster than it is killed is left after this long.
_SECONDS = 2.0


class Descendants:
    """Our children that were not there when this was made."""

    def __init__(self) -> None:
        self._adopts = sys.platform == "linux" and _become_subreaper()
        self._before = _children()

    def end(self) -> None:
        """Called when the program itself is gone."""
        if not self._adopts:
            return
        until = time.monotonic() + _SECONDS
        while (left := _children() - self._before) and time.monotonic() < until:
            for process in left:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            for process in left:
                with suppress(ChildProcessError):
                    os.waitpid(process, 0)


def _become_subreaper() -> bool:
    try:
        return bool(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _children() -> set[int]:
    """Of all our threads."""
    found: set[int] = set()
    with suppress(OSError):
        for each in Path("/proc/self/task").iterdir():
            with suppress(OSError):
                found.update(map(int, (each / "children").read_text(encoding="ascii").split()))
    return found
