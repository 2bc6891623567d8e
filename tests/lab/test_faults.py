"""Each fault, in a fresh node, turns exactly its rule red; and the command that tells so leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.lab import cache
from nodeworthy.lab.faults import injecting
from nodeworthy.lab.faults.fault import LabFault, faults, with_healthy
from nodeworthy.lab.faults.injecting import IMAGE, fresh, inject
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import sweep
from tests.by_day import some

from .test_node import left_of

COMMAND = [sys.executable, "-m", "nodeworthy", "lab"]
SECONDS = 90

pytestmark = pytest.mark.usefixtures("lab")


def _one_of_a_rule_then_others() -> Iterator[Any]:
    """A third a day. A fault that turns a rule red once more takes long: `make lab-faults` injects them all."""
    first: dict[str, LabFault] = {}
    every = with_healthy(faults())
    for each in every:
        first.setdefault(each.rule or each.name, each)
    yield from some([*first.values()], len(first) // 3, lambda fault: fault.name)
    for each in every:
        if each not in first.values():
            yield pytest.param(each, id=each.name, marks=pytest.mark.long)


@pytest.mark.parametrize("fault", [*_one_of_a_rule_then_others()])
def test_a_fault_turns_exactly_its_rule_red(fault: LabFault) -> None:
    with fresh(fault) as node:
        outcome = inject(node, fault)
    assert outcome.as_expected, injecting.text([outcome])


def test_the_command_prints_the_table_and_speaks_by_its_exit_code() -> None:
    asked = [*COMMAND, "faults", "--only", "kubelet-not-enabled", "--format", "json"]
    said = subprocess.run(asked, capture_output=True, text=True, timeout=600, check=False)
    assert said.returncode == 0, said.stderr + said.stdout
    rows = {each["fault"]: each for each in json.loads(said.stdout)["faults"]}
    assert rows["kubelet-not-enabled"]["red"] == ["kubelet-survives-reboot"]
    assert rows["healthy"]["red"] == []
    assert rows["healthy"]["verdicts"]["kubelet-survives-reboot"] == "pass"


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("what", ["faults", "up"])
def test_nothing_is_left_where_the_command_is_ended(what: str, by: signal.Signals, tmp_path: Path) -> None:
    layers(IMAGE)
    script = tmp_path / "user-data"
    script.write_text("#!/bin/sh\nsleep 60\n")
    asked = [*COMMAND, what, *(["--user-data", str(script), "--image", IMAGE] if what == "up" else [])]
    lab = subprocess.Popen(asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _until_one_boots(lab.pid)
    os.kill(lab.pid, by)
    assert lab.wait(SECONDS) == 128 + by
    assert _left(lab.pid) == []


def test_a_node_stays_up_and_can_be_asked(tmp_path: Path) -> None:
    script = tmp_path / "user-data"
    script.write_text("#!/bin/sh\necho here >/etc/written\n")
    asked = [*COMMAND, "up", "--user-data", str(script), "--name", "fresh", "--image", "debian"]
    lab = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert lab.stdout is not None
    try:
        told = [lab.stdout.readline() for _ in range(3)]
        assert told[0].startswith("fresh is up")
        inside = [*told[2].split(), "cat", "/etc/hostname", "/etc/written"]
        said = subprocess.run(inside, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert said.stdout == "fresh\nhere\n", said.stderr
    finally:
        lab.terminate()
        lab.wait(SECONDS)
    assert _left(lab.pid) == []


def _until_one_boots(pid: int) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        consoles = list((cache.home() / "nodes").glob(f"nodeworthy-lab-{pid}-*/console"))
        if any(b"cloud-init" in each.read_bytes() for each in consoles):
            return
        time.sleep(0.05)
    pytest.fail("no node boots")


def _left(pid: int) -> list[str]:
    """What is mounted dies with its namespace, a moment after its last process."""
    deadline = time.monotonic() + SECONDS
    name = f"nodeworthy-lab-{pid}-"
    while (left := [each for number in range(1, 4) for each in left_of(f"{name}{number}")]) and (
        time.monotonic() < deadline
    ):
        sweep()
        time.sleep(0.1)
    return left
