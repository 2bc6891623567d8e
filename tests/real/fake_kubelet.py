"""A process that waits under kubelet's name and command line, which is all that a node's reader sees of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from .daemon import Daemon


class FakeKubelet:
    def __init__(self, home: Path, *arguments: str) -> None:
        self.home = home
        self.arguments = arguments

    def __enter__(self) -> Self:
        program = self.home / "kubelet"
        program.write_text('#!/bin/sh\nread -r forever <"${0%/*}/for-ever"\n')
        program.chmod(0o755)
        os.mkfifo(self.home / "for-ever")
        self.daemon = Daemon([program, *self.arguments], self.home / "kubelet.log")
        self.daemon.wait_until(self._is_itself)
        return self

    def __exit__(self, *_: object) -> None:
        self.daemon.kill()

    def _is_itself(self) -> bool:
        return Path(f"/proc/{self.daemon.pid}/comm").read_text().strip() == "kubelet"
