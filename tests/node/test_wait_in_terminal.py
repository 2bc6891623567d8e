"""`--wait` in a terminal: a row a host says how far its boot is, and whoever has booted is judged while others boot."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import threading
from typing import Any

import pytest

from nodeworthy.cli import main
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.commands.node.progress import Table

from .recordings import MENDED, told
from .test_table import sized
from .test_wait import ABOUT, status

AGAIN = re.compile(r"\033\[\d+A\r\033\[J")
COLOURS = re.compile(r"\033\[[\d;]*m")
AT_A_SCRIPT = told(boot="", cloud=status("modules-final"), system="starting", step="scripts/part-001\nx.service")
SECONDS = 120


class Terminal:
    """A real one, and what stands in it each time that it is drawn."""

    def __init__(self) -> None:
        self._own, theirs = pty.openpty()
        self.stream = os.fdopen(theirs, "w")
        self._said: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # as a terminal ends whose other side has left
            while said := os.read(self._own, 65536):
                self._said.append(said)

    def screens(self) -> list[list[str]]:
        self.stream.close()
        self._reader.join(SECONDS)
        os.close(self._own)
        text = COLOURS.sub("", b"".join(self._said).decode()).replace("\r\n", "\n")
        return [each.splitlines() for each in AGAIN.split(text)]


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """`fast` has booted when `slow` was heard of, and `slow` boots on until `fast` was judged."""
    slow_boots, fast_is_judged = threading.Event(), threading.Event()

    def observe(host: Any) -> Recording:
        name = host.backend.get_pytest_id()
        if name == "ssh://fast":
            assert slow_boots.wait(SECONDS)
            return Recording(name, load(MENDED).parts)
        return Recording(name, (load(MENDED) if fast_is_judged.is_set() else AT_A_SCRIPT).parts)

    waits, asked = Table.waits, Table.asked

    def told_that_it_waits(table: Table, name: str, why: str, left: float) -> None:
        waits(table, name, why, left)
        slow_boots.set()

    def told_that_it_has_booted(table: Table, seen: AskedHost, name: str) -> None:
        asked(table, seen, name)
        fast_is_judged.set()

    monkeypatch.setattr(Table, "waits", told_that_it_waits)
    monkeypatch.setattr(Table, "asked", told_that_it_has_booted)
    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)
    return monkeypatch


@pytest.fixture(autouse=True)
def _drawn_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("nodeworthy.collect.node.waiting.EVERY_SECONDS", 0.02)
    monkeypatch.setattr("nodeworthy.commands.node.progress.AT_MOST_EVERY", 0.0)
    monkeypatch.setattr(Table, "_seconds", 75.0)
    sized(monkeypatch, 110)


def test_whoever_has_booted_is_judged_while_others_boot(hosts: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    with contextlib.redirect_stderr(terminal.stream), contextlib.redirect_stdout(io.StringIO()):
        code = main(["node", "ssh://slow", "ssh://fast", "--wait", "90s", *ABOUT])
    screens = terminal.screens()
    booting = "ssh://slow   1m 15s  cloud-init is in modules-final, at scripts/part-001, x.service"
    assert [booting, "ssh://fast  asking"] in [each[:2] for each in screens]
    assert [booting, "ssh://fast   1m 15s  1 pass"] in [each[:2] for each in screens]
    assert screens[-1] == [
        "ssh://slow   1m 15s  1 pass",
        "ssh://fast   1m 15s  1 pass",
        "2 of 2 hosts asked, 0 of them not well",
    ]
    assert code == 0
