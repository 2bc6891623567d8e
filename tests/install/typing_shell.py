"""A shell at a terminal, typed into as a person would: what it completes is what it then runs."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

# In place of the program: it prints each word that it was given.
STAND_IN = "nodeworthy() { printf '<%s>' \"$@\"; echo; }"
READY = "ready to be typed into"
# A loaded machine is slow; what is waited for comes at once on others.
PATIENCE = 60.0


class TypingShell:
    def __init__(self, command: list[str], cwd: Path) -> None:
        self._own, theirs = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "HOME": str(cwd), "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "% "}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)

    def prepare(self, *lines: str) -> None:
        """Runs these, and returns when the shell has."""
        self._write("\n".join((*lines, f"echo '{READY[:5]}''{READY[5:]}'", "")))
        self._read_until(READY)

    def completed(self, line: str) -> list[str]:
        """The words that the program is given after this line, a tab, and Enter."""
        self._write(f"{line}\t\n")
        told = self._read_until(">\r\n").rsplit("\n", 2)[-2]
        return told[told.index("<") + 1 : told.rindex(">")].split("><")

    def close(self) -> None:
        self._process.kill()
        self._process.wait(timeout=PATIENCE)
        os.close(self._own)

    def _write(self, text: str) -> None:
        os.write(self._own, text.encode())

    def _read_until(self, sign: str) -> str:
        read, ends = "", time.monotonic() + PATIENCE
        while sign not in read:
            if not select.select([self._own], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise TimeoutError(f"{sign!r} did not come, only {read!r}")
            read += os.read(self._own, 65536).decode("utf-8", "replace")
        return read
