"""A real server as a child of the tests."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nodeworthy.lab.commands import WITH_US

POLL_SECONDS = 0.02
# How long anything real may take on a slow and busy machine: what works never waits for it.
PATIENCE = 300.0
TAIL_LINES = 15


class DaemonError(Exception):
    """A server ended or took too long; says so with the end of its log."""


class Daemon:
    """One server: its log in a file of its own, and gone when the tests are, however they end."""

    def __init__(self, argv: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> None:
        self.log = log
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [*WITH_US, *argv],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=None if env is None else {**os.environ, **env},
                start_new_session=True,  # Ctrl-C is ours: the server would else leave before its clients
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_until(self, ready: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            if self.process.poll() is not None:
                raise DaemonError(f"ended with {self.process.returncode}: {self.tail()}")
            if time.monotonic() > deadline:
                raise DaemonError(f"not ready after {seconds} s: {self.tail()}")
            time.sleep(POLL_SECONDS)

    def tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
        return "\n".join(["", *lines])

    def kill(self) -> None:
        """SIGKILL at once: nothing here is to be kept, and an API server whose etcd is gone ignores SIGTERM."""
        self.process.kill()
        self.process.wait()


def scratch(name: str) -> tempfile.TemporaryDirectory[str]:
    """In memory where there is such a place: etcd and containerd write much, and nothing of it is kept."""
    memory = "/dev/shm"
    usable = os.access(memory, os.W_OK | os.X_OK)
    return tempfile.TemporaryDirectory(
        prefix=f"nodeworthy-{name}-", dir=memory if usable else None, ignore_cleanup_errors=True
    )
