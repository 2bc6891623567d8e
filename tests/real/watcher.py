"""`nodeworthy diagnose --watch` as a process of its own, whose lines are read as they come."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from .daemon import PATIENCE


class Watcher:
    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._lines: queue.Queue[str] = queue.Queue()

    def __enter__(self) -> Self:
        argv = [sys.executable, "-m", "nodeworthy", "diagnose", "--watch", "--every", "1", *self._arguments]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def line(self) -> str:
        return self._lines.get(timeout=PATIENCE)

    def until(self, happened: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next document that says so."""
        while True:
            told: dict[str, Any] = json.loads(self.line())
            if happened(told):
                return told

    def end(self) -> tuple[int, str]:
        """Its exit code after Ctrl-C, and what it complained of."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        return self.process.returncode, self.process.stderr.read()
