"""How `accept --on slurm` is called against a real Slurm, and what is seen of it: jobs, states, what is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeworthy.collect.workload.live import slurm_clients
from tests.run import Ran, run

from .daemon import PATIENCE
from .kube_client import wait_for
from .slurm_cluster import SlurmCluster

ONE_TEST = ("--level", "quick", "--test", "disk-and-network")

# In the job, before the programs: what a test wants of it.
SMALL = "export NODEWORTHY_MIB=4\n"


def rest(slurm: SlurmCluster) -> None:
    """Until nothing runs, and every node has answered since it was resumed."""
    wait_for(lambda: queue(slurm) == [], seconds=PATIENCE)
    wait_for(lambda: set(slurm.ask("sinfo", "-h", "-N", "-o", "%t").split()) == {"idle"}, seconds=PATIENCE)


def queue(slurm: SlurmCluster) -> list[str]:
    return slurm.ask("squeue", "-h", "-o", "%j").split()


def arguments(*more: str, setup: str = "") -> list[str]:
    Path("setup.sh").write_text(SMALL + setup, encoding="utf-8")
    where = ("--python", sys.executable, "--scratch", str(Path("scratch").resolve()), "--setup", "setup.sh")
    return ["accept", "--on", "slurm", *where, "--partition", "gpu", "--yes", "--yes-last", *ONE_TEST, *more]


def accept(*more: str, setup: str = "") -> Ran:
    return run(*arguments(*more, setup=setup), "--format", "json")


def states(ran: Ran) -> dict[str, tuple[str, str]]:
    """Of each node how the one test ended there, and why."""
    assert ran.out, ran.err
    tried = [each for each in ran.report["runs"] if each["test"] == "disk-and-network"]
    return {name: (each["state"], each["why"] or "") for each in tried for name in each["nodes"]}


def left() -> list[str]:
    return [each.name for each in Path("scratch").iterdir()]


WAITS = "touch waits; while [ ! -e goes ]; do sleep 0.2; done; rm goes\n"


def while_it_runs(act: Callable[[], object], *more: str) -> Ran:
    """Acts once the job has begun, which then waits for ever."""
    is_over = threading.Event()

    def when_it_runs() -> None:
        wait_for(lambda: is_over.is_set() or Path("scratch/waits").exists(), seconds=PATIENCE)
        if not is_over.is_set():
            act()

    acting = threading.Thread(target=when_it_runs, daemon=True)
    acting.start()
    try:
        ran = accept(*more, setup=WAITS)
    finally:
        is_over.set()
        acting.join(PATIENCE)
    assert Path("scratch/waits").exists(), (states(ran), ran.err)
    Path("scratch/waits").unlink()
    return ran


def begun(*more: str, setup: str = "") -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "nodeworthy", *arguments(*more, setup=setup)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stop(slurm: SlurmCluster, *daemons: str, sent: signal.Signals = signal.SIGSTOP) -> None:
    for each in daemons:
        os.kill(int((slurm.home / f"{each}.pid").read_text()), sent)


def forget_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a controller that forgets a job when it ends: from then on only the accounting knows it."""
    asked = slurm_clients.ask
    monkeypatch.setattr(
        slurm_clients, "ask", lambda *words, **said: asked(*(each for each in words if each != "--states=all"), **said)
    )


def tell_database(slurm: SlurmCluster, said: str) -> None:
    socket = f"--socket={slurm.home}/database.socket"
    subprocess.run(["mariadb", "--no-defaults", socket, "accounting"], input=said, text=True, check=True, timeout=60)


def its_number(slurm: SlurmCluster) -> str:
    (number,) = slurm.ask("squeue", "-h", "-o", "%i").split()
    return number


def without_tests(words: list[str]) -> list[str]:
    at = words.index("--test")
    return [*words[:at], *words[at + 2 :]]
