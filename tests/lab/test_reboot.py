"""`nodeworthy node --reboot` on a booted node: it really goes down, comes back by another boot, and is looked at again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.lab.commands import LabError
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from tests.run import run_json

NOTHING = b"#!/bin/sh\n:\n"
# It harms nothing before the next boot, in which it fails.
LATE = """
printf '[Service]\\nType=oneshot\\nExecStart=/bin/false\\n[Install]\\nWantedBy=multi-user.target\\n' \\
    >/etc/systemd/system/late.service
systemctl enable late.service
"""
BOOT = "/proc/sys/kernel/random/boot_id"

pytestmark = pytest.mark.usefixtures("lab")


class Supervised:
    """Boots it whenever it wants to, as a machine does; who it is stands in a file."""

    def __init__(self, node: Node, folder: Path) -> None:
        self.node = node
        self.pid = folder / "node.pid"
        self.up = threading.Event()
        self.problem: LabError | None = None
        # What it starts dies with the thread that started it.
        self._thread = threading.Thread(target=self._boots)

    def __enter__(self) -> Supervised:
        self._thread.start()
        assert self.up.wait(120)
        assert self.problem is None, self.problem
        return self

    def __exit__(self, *_: object) -> None:
        self.node.interrupt()
        self._thread.join(60)

    def _boots(self) -> None:
        try:
            self.node.rebooted = True
            while self.node.rebooted:
                self.node.boot()
                self.pid.write_text(str(self.node.pid()))
                self.up.set()
                self.node.wait()
                self.node.end()
        except LabError as problem:
            self.problem = problem
        finally:
            self.up.set()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Supervised]:
    with Node(layers("debian"), NOTHING) as made, Supervised(made, tmp_path) as supervised:
        yield supervised


def test_it_comes_back_and_what_is_new_is_told(node: Supervised) -> None:
    node.node.run("sh", "-c", LATE)
    first = node.node.run("cat", BOOT)
    host = f"nsenter://{node.pid}"
    ran = run_json("node", host, "--reboot", "--yes", "--wait", "2m", "--rule", "boot-finished")
    assert node.problem is None, node.problem
    assert node.node.run("cat", BOOT) != first
    assert ran.code == 1, ran.out + ran.err
    (found,) = ran.findings
    assert "late.service" in found["message"]
    assert found["related"][-1]["says"].startswith("only after the reboot")
    assert f"new after the reboot: {host}: fail boot-finished" in ran.err


def test_one_that_is_well_comes_back_the_same(node: Supervised) -> None:
    ran = run_json("node", f"nsenter://{node.pid}", "--reboot", "--yes", "--wait", "2m", "--rule", "boot-finished")
    assert (ran.code, node.problem) == (0, None), ran.out + ran.err
    assert "after the reboot it is as it was before" in ran.err
