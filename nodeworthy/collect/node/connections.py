"""How hosts are reached in a run: what all backends share, and what has to be closed at its end."""

from __future__ import annotations

import hashlib
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import ClassVar, Protocol

from testinfra.backend import base

from nodeworthy.collect.node import deadline
from nodeworthy.collect.node.reach import Reach
from nodeworthy.records import dataclass

SECONDS = 30.0
CLOSED_AT_ONCE = 16


class NotAnswering(Exception):
    """The host could not be asked: why, in one line."""


class Closing(Protocol):
    def close(self) -> None: ...


@dataclass
class Connections:
    """How hosts are reached in this run, and what has to be closed at its end."""

    seconds: float = SECONDS
    reach: Reach = field(default_factory=Reach)
    opened: list[Closing] = field(default_factory=list)
    # Control sockets live where nobody else can put one. Made when the first connection is.
    folder: tempfile.TemporaryDirectory[str] | None = None

    def control_path(self, hostspec: str) -> str:
        """One for each host, whoever asks: a user's own tests share the connection that the rules have opened."""
        if self.folder is None:
            # Not under TMPDIR: the path of a socket has at most 104 characters.
            self.folder = tempfile.TemporaryDirectory(prefix="nodeworthy-", dir="/tmp", ignore_cleanup_errors=True)
        return f"{self.folder.name}/{hashlib.sha256(hostspec.encode()).hexdigest()[:16]}"

    def close(self) -> None:
        with ThreadPoolExecutor(max_workers=CLOSED_AT_ONCE) as executor:
            list(executor.map(lambda each: each.close(), self.opened))
        self.opened.clear()
        if self.folder is not None:
            self.folder.cleanup()
            self.folder = None


class WithDeadline(base.BaseBackend):
    """Every command ends, if need be by force."""

    connections: ClassVar[Connections] = Connections()

    def run_local(self, command: str, *args: str) -> base.CommandResult:
        encoded = self.quote(command, *args).encode("utf-8")
        try:
            done = deadline.run(encoded, self.connections.seconds)
        except deadline.TooMuch as problem:
            raise NotAnswering(str(problem)) from None
        return self.result(done.code, encoded, done.stdout, done.stderr)

    def get_encoding(self) -> str:
        # testinfra would ask the host's python, which costs a round trip and may not be there.
        return "utf-8"

    def decode(self, data: bytes) -> str:
        return data.decode("utf-8", errors="replace")
