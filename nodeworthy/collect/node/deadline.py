"""Runs a command on this machine with a deadline: what hangs is killed with all of its children."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from nodeworthy.records import dataclass

# A host that answers with more than this is not believed, and not kept in memory.
MOST_BYTES = 32 * 1024 * 1024
LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Finished:
    code: int
    stdout: bytes
    stderr: bytes


class TooLate(Exception):
    """The deadline passed; `stdout` is what came until then."""

    def __init__(self, seconds: float, stdout: bytes) -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds
        self.stdout = stdout


class TooMuch(Exception):
    """A command printed more than anybody would believe, and was stopped: a disk is soon full."""

    def __init__(self) -> None:
        super().__init__(f"it prints more than {MOST_BYTES // 2**20} MiB, and is not believed")


class _Running:
    """The commands that run now, so that Ctrl-C leaves none behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self.stopping = False

    def add(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.add(process)
            if self.stopping:
                _kill(process)

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)

    def kill_all(self) -> None:
        with self._lock:
            self.stopping = True
            for process in self._processes:
                _kill(process)


RUNNING = _Running()


def run(command: bytes, seconds: float, *, to_the_end: bool = False) -> Finished:
    """Runs one shell command. `to_the_end` is for what must be done after Ctrl-C as well, such as tidying up. Its
    output goes through files: a master connection that ssh leaves behind may keep a pipe open for a minute, and whoever
    waits for the pipe's end waits as long."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        if not to_the_end:
            RUNNING.add(process)
        try:
            code = _wait(process, seconds, (out, err))
        except subprocess.TimeoutExpired:
            raise TooLate(seconds, _content(out)) from None
        finally:
            RUNNING.remove(process)
        return Finished(code, _content(out), _content(err))


def _wait(process: subprocess.Popen[bytes], seconds: float, files: Sequence[IO[bytes]]) -> int:
    """Waits for the exit code. Whatever ends the process, nothing of it is left."""
    until = time.monotonic() + seconds
    try:
        while True:
            left = until - time.monotonic()
            try:
                code = process.wait(timeout=max(0.0, min(left, LOOK_SECONDS)))
            except subprocess.TimeoutExpired:
                if left <= LOOK_SECONDS:
                    raise
                code = None
            if any(os.fstat(each.fileno()).st_size > MOST_BYTES for each in files):
                raise TooMuch
            if code is not None:
                return code
    except BaseException:
        _kill(process)
        process.wait()
        raise


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # gone already, or another user's through sudo
        os.killpg(process.pid, signal.SIGKILL)


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(MOST_BYTES)
