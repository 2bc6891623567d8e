"""Ports for servers that can't be asked which one they got.

The kernel gives the ports of its own range to whoever connects anywhere: one that was free a moment ago is some
client's before the server listens on it. So these lie below that range, in a block that no other process draws from.
"""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from functools import cache
from pathlib import Path

FIRST, LAST, BLOCK = 20_000, 32_000, 200


class NoPortLeft(Exception):
    """Other runs of the tests have every block, or other servers every port of ours."""


def free_ports(count: int) -> list[int]:
    """Each different; none is given a second time before the whole block was."""
    given: list[int] = []
    ports = _block()
    for _ in range(len(ports)):
        if len(given) == count:
            break
        ports.append(port := ports.pop(0))
        if _is_free(port):
            given.append(port)
    if len(given) < count:
        raise NoPortLeft(f"{count} asked for, {len(given)} free of {min(ports)} to {max(ports)}")
    return given


@cache
def _block() -> list[int]:
    """The first block that nobody holds; ours until this process ends, which lets go of its lock."""
    folder = Path(tempfile.gettempdir()) / f"nodeworthy-ports-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for first in range(FIRST, LAST, BLOCK):
        lock = os.open(folder / str(first), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        return list(range(first, first + BLOCK))
    raise NoPortLeft(f"every block of {FIRST} to {LAST} has its lock in {folder}")


def _is_free(port: int) -> bool:
    """On every address: a server that listens on all of them goes on with those that it gets, and says little."""
    try:
        with socket.create_server(("", port)):
            return True
    except OSError:
        return False
