"""A node leaves nothing behind, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodeworthy.lab import cache
from nodeworthy.lab.commands import LabError
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node, sweep

NOTHING = b"#!/bin/sh\n:\n"
BOOTS = """
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
with Node(layers("debian"), b"#!/bin/sh\\nsleep 60\\n") as node:
    print(node.name, flush=True)
    node.boot()
"""
SECONDS = 90

pytestmark = pytest.mark.usefixtures("lab")


def left_of(name: str) -> list[str]:
    """Its processes, its folder, its cgroups, its mounts."""
    left = [str(path) for path in (cache.home() / "nodes").glob(name)]
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes()
        except OSError:
            continue
        left += [words.decode(errors="replace")] if name.encode() in words else []
    cgroups = [Path(line.split()[1]) / name for line in _mounts() if line.split()[2] == "cgroup2"]
    return left + [str(each) for each in cgroups if each.exists()] + [line for line in _mounts() if name in line]


def _mounts() -> list[str]:
    return Path("/proc/self/mounts").read_text().splitlines()


def test_nothing_is_left_of_a_node() -> None:
    with Node(layers("debian"), NOTHING) as node:
        node.boot()
        assert node.run("cat", "/etc/hostname") == "node\n"
        assert left_of(node.name)
    assert left_of(node.name) == []


def test_nothing_is_left_where_a_test_fails() -> None:
    def fails() -> None:
        with Node(layers("debian"), NOTHING) as node:
            names.append(node.name)
            node.boot()
            node.run("sh", "-c", "echo said so; exit 3")

    names: list[str] = []
    with pytest.raises(LabError, match="ended with 3: \nsaid so"):
        fails()
    assert left_of(names[0]) == []


def test_a_command_that_hangs_ends() -> None:
    with Node(layers("debian"), NOTHING) as node:
        node.boot()
        started = time.monotonic()
        with pytest.raises(LabError, match="not done after 1 s"):
            node.run("sleep", "60", seconds=1)
        assert time.monotonic() - started < SECONDS


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_where_the_lab_itself_is_ended(by: signal.Signals) -> None:
    layers("debian")
    lab = subprocess.Popen([sys.executable, "-c", BOOTS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert lab.stdout is not None
    name = lab.stdout.readline().strip()
    _until_it_boots(name)
    os.kill(lab.pid, by)
    lab.wait(SECONDS)
    deadline = time.monotonic() + SECONDS
    while left_of(name) and time.monotonic() < deadline:
        sweep()
        time.sleep(0.1)
    assert left_of(name) == []


def _until_it_boots(name: str) -> None:
    console = cache.home() / "nodes" / name / "console"
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if console.exists() and b"cloud-init" in console.read_bytes():
            return
        time.sleep(0.05)
    pytest.fail("the node does not boot")
