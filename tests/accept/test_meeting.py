"""A group comes together before anything is begun, or everybody goes home and says who was missing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from nodeworthy import programs
from tests.accept.recordings import NONCE
from tests.real.ports import free_ports

FOLDER = Path(programs.__file__).parent
ASK = "import meet, json, sys; print(json.dumps(meet.all_there(sys.argv[1])))"


def begin(
    rank: int, of: int, port: int, *, barrier: float, nonce: str = NONCE, first: str = "127.0.0.1"
) -> subprocess.Popen[str]:
    given = {"NODEWORTHY_NODES": str(of), "NODE_RANK": str(rank), "MASTER_ADDR": first, "MASTER_PORT": str(port - 1)}
    environment = {**os.environ, **given, "NODEWORTHY_BARRIER": str(barrier), "PYTHONPATH": str(FOLDER)}
    command = [sys.executable, "-c", ASK, nonce]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, _ = process.communicate(timeout=120)
    kind, text = json.loads(out)
    return kind, text


def test_they_meet_whoever_comes_first() -> None:
    (port,) = free_ports(1)
    late = [begin(rank, 3, port, barrier=60) for rank in (2, 1)]
    time.sleep(0.5)
    assert [said(each) for each in (begin(0, 3, port, barrier=60), *late)] == [("", "")] * 3


def test_who_is_missing_is_named_by_all() -> None:
    """A stranger, with another run's nonce, counts for nobody."""
    (port,) = free_ports(1)
    early, stranger = begin(2, 4, port, barrier=90), begin(3, 4, port, barrier=90, nonce="0" * 16)
    first = begin(0, 4, port, barrier=8)
    assert {said(each) for each in (early, first)} == {("not-met", "rank 1, 3 of 4 did not come within 8 s")}
    stranger.kill()
    stranger.communicate()


def test_without_the_first_they_do_not_wait_for_ever() -> None:
    (port,) = free_ports(1)
    began = time.monotonic()
    kind, text = said(begin(1, 2, port, barrier=1))
    assert (kind, "rank 0 at 127.0.0.1 did not come within 1 s" in text) == ("not-met", True)
    assert time.monotonic() - began < 30


def test_a_name_that_nobody_knows_is_said() -> None:
    (port,) = free_ports(1)
    kind, text = said(begin(1, 2, port, barrier=1, first="no-such.invalid"))
    assert (kind, "no-such.invalid" in text) == ("dns", True)


def test_a_port_that_is_taken_is_said() -> None:
    (port,) = free_ports(1)
    with socket.create_server(("", port)):
        kind, text = said(begin(0, 2, port, barrier=5))
    assert (kind, f"port {port}, at which rank 0 counts all, is not to be had" in text) == ("not-met", True)
