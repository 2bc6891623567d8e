"""One start for all runs of a program: it parts where it first waits, unless it holds what processes can't share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nodeworthy.known.containerd import containerd_of
from tests.plan.programs import preview, project, verdicts
from tests.run import run

K3S = containerd_of("k3s").socket
SIMULATED = f"""
import os
cluster = Thing("cluster")
with open("started", "a") as told:
    told.write("once\\n")
release(cluster.id.apply(lambda _: {{"toolkit": {{"env": [{{"name": "CONTAINERD_SOCKET", "value": {K3S!r}}}]}}}}))
"""
# What a program may hold when it first waits for its engine.
HELD = {
    "a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(2,), daemon=True).start()\n",
    "a file": "kept = open('kept', 'w')\n",
    "a socket": "import socket\nkept = socket.socketpair()\n",
    "a process": "import subprocess\nkept = subprocess.Popen(['sleep', '2'])\n",
    "a temporary folder": "import tempfile\nkept = tempfile.TemporaryDirectory()\n",
    "a temporary file": "import tempfile\ntempfile.mkstemp()\n",
}


def _starts(folder: Path) -> int:
    return len((folder / "started").read_text().splitlines())


def test_a_program_is_started_once_for_all_its_runs(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, SIMULATED))
    assert verdicts(ran, "containerd-paths") == [("fail", True)]
    assert _starts(tmp_path) == (1 if sys.platform == "linux" else 3)


@pytest.mark.skipif(sys.platform != "linux", reason="processes part on Linux only")
@pytest.mark.parametrize("held", sorted(HELD))
def test_one_that_can_not_be_parted_is_started_for_every_run(tmp_path: Path, held: str) -> None:
    ran = preview(project(tmp_path, HELD[held] + SIMULATED))
    assert verdicts(ran, "containerd-paths") == [("fail", True)]
    assert _starts(tmp_path) == 3


def test_a_program_that_logs_before_it_waits_says_it_once(tmp_path: Path) -> None:
    late = "cluster.id.apply(lambda _: print('from a callback'))\ncluster.urn.apply(lambda _: print('from all'))\n"
    ran = preview(project(tmp_path, "pulumi.log.info('early')\nprint('at once')\n" + SIMULATED + late))
    assert verdicts(ran, "containerd-paths") == [("fail", True)]
    assert sorted(ran.err.splitlines()) == ["at once", "early", "from all"]


@pytest.mark.parametrize("end", ["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)", "__import__('sys').exit(0)"])
def test_a_simulated_run_that_is_gone_decides_nothing(tmp_path: Path, end: str) -> None:
    ran = preview(project(tmp_path, SIMULATED + f"cluster.id.apply(lambda _: {end})\n"))
    assert (ran.code, ran.report["preview"]["simulated"]) == (3, False)
    assert set(verdicts(ran, "containerd-paths")) == {("unknown", False)}


def test_a_simulated_run_that_hangs_does_not_take_the_plain_one_with_it(tmp_path: Path) -> None:
    late = "cluster.id.apply(lambda _: __import__('time').sleep(300))\n"
    started = time.monotonic()
    ran = run("preview", "--timeout", "15", cwd=project(tmp_path, SIMULATED + late))
    assert ran.code == 3
    assert "could not be used: it did not end within 15 seconds" in ran.out
    assert time.monotonic() - started < 250


def test_an_interrupt_ends_every_run(tmp_path: Path) -> None:
    late = "cluster.urn.apply(lambda _: (open(f'pid.{os.getpid()}', 'w').close(), __import__('time').sleep(300)))\n"
    command = [sys.executable, "-m", "nodeworthy", "preview"]
    running = subprocess.Popen(command, cwd=project(tmp_path, SIMULATED + late), stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(found := list(tmp_path.glob("pid.*"))) < (3 if sys.platform == "linux" else 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=30) == 128 + signal.SIGTERM
    assert all(_gone(int(each.suffix[1:])) for each in found)


def _gone(pid: int) -> bool:
    """Ended, or ended and waiting for somebody to ask how."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False
