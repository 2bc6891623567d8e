"""Plain streams between two nodes count their partner alone, whoever else comes to that port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeworthy import programs
from tests.accept.recordings import NONCE

FOLDER = Path(programs.__file__).parent
RECEIVES = """
import meet, streams
mine = meet.listen(0)
print(mine.getsockname()[1], flush=True)
print(f"{streams._together(streams._accepted(mine, 'gpu-1 to gpu-2, 1'), streams._receive):.6f}")
"""
SENDS = """
import sys, streams
address = ("127.0.0.1", int(sys.argv[1]))
streams._together(streams._connected(address, sys.argv[2]), streams._send)
"""


def start(code: str, *words: str, nonce: str = NONCE) -> subprocess.Popen[str]:
    given = {"NODEWORTHY_NONCE": nonce, "NODEWORTHY_STREAM_SECONDS": "0.2", "PYTHONPATH": str(FOLDER)}
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(
        command, env={**os.environ, **given}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def is_silent(port: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(port)))


def talks(port: str) -> socket.socket:
    there = is_silent(port)
    there.sendall(b"GET /metrics HTTP/1.1\r\nHost: gpu-2\r\n\r\n")
    return there


def floods(port: str) -> socket.socket:
    """As fast as it can, from before the partner comes: it would be the fastest link of all."""
    there = is_silent(port)
    threading.Thread(target=_flood, args=(there,), daemon=True).start()
    return there


def _flood(there: socket.socket) -> None:
    try:
        while True:
            there.sendall(b"\0" * (1 << 16))
    except OSError:
        pass


@pytest.mark.parametrize("stranger", [is_silent, talks, floods])
def test_a_stranger_is_nobodys_partner(stranger: Callable[[str], socket.socket]) -> None:
    receiver = start(RECEIVES)
    assert receiver.stdout is not None
    port = receiver.stdout.readline().strip()
    with stranger(port):
        sender = start(SENDS, port, "gpu-1 to gpu-2, 1")
        assert sender.wait(timeout=60) == 0
        rate, _ = receiver.communicate(timeout=60)
    assert (receiver.returncode, float(rate) > 0) == (0, True)


@pytest.mark.parametrize(("nonce", "match"), [("another-run", "gpu-1 to gpu-2, 1"), (NONCE, "gpu-3 to gpu-2, 2")])
def test_neither_is_who_comes_from_another_run_or_another_round(nonce: str, match: str) -> None:
    receiver = start(RECEIVES)
    assert receiver.stdout is not None
    port = receiver.stdout.readline().strip()
    wrong = start(SENDS, port, match, nonce=nonce)
    assert wrong.wait(timeout=60) != 0
    assert start(SENDS, port, "gpu-1 to gpu-2, 1").wait(timeout=60) == 0
    receiver.communicate(timeout=60)
    assert receiver.returncode == 0
