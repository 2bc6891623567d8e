"""Work that is divided among processes comes to the same, in the same order, whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from nodeworthy import backstop, interrupts, workers
from nodeworthy.errors import CouldNotLook
from tests.case_files import whole

RECORDING = whole("containerd-edit-survives/good-node-nodeadm") / "node.json"


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 3)


def _who(pieces: Sequence[int]) -> list[tuple[int, int]]:
    return [(each, os.getpid()) for each in pieces]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("count", [6, 7, 100, 1_001])
def test_the_results_are_in_order(count: int) -> None:
    made = workers.in_shares(_who, range(count), 2)
    assert [each for each, _ in made] == list(range(count))
    assert len({process for _, process in made}) == 3


@pytest.mark.usefixtures("three")
def test_few_are_worth_no_worker() -> None:
    assert {process for _, process in workers.in_shares(_who, range(5), 3)} == {os.getpid()}
    assert workers.in_shares(_who, (), 1) == []


@pytest.mark.usefixtures("three")
def test_what_a_worker_can_not_do_is_done_here() -> None:
    """And raises here what it raised there."""
    here = os.getpid()

    def only_here(pieces: Sequence[int]) -> list[int]:
        if os.getpid() != here:
            raise ValueError("no")
        return [*pieces]

    def nowhere(_: Sequence[int]) -> list[int]:
        raise ZeroDivisionError

    assert workers.in_shares(only_here, range(30), 2) == list(range(30))
    with pytest.raises(ZeroDivisionError):
        workers.in_shares(nowhere, range(30), 2)


@pytest.mark.usefixtures("three")
def test_what_can_not_be_handed_over_is_made_here() -> None:
    def later(number: int) -> Callable[[], int]:
        return lambda: number

    made = workers.in_shares(lambda pieces: [later(each) for each in pieces], range(9), 2)
    assert [each() for each in made] == list(range(9))


@pytest.mark.usefixtures("three")
def test_a_worker_that_is_killed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    here, started, fork = os.getpid(), list[int](), os.fork

    def remembered() -> int:
        started.append(fork())
        return started[-1]

    monkeypatch.setattr(os, "fork", remembered)

    def dies(pieces: Sequence[int]) -> list[int]:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return [*pieces]

    with pytest.raises(CouldNotLook, match="SIGKILL"):
        workers.in_shares(dies, range(30), 2)
    assert len(started) == 2
    for each in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(each, os.WNOHANG)


@pytest.mark.usefixtures("three")
def test_no_more_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", refuse)
    before = len(os.listdir("/proc/self/fd"))
    assert [each for each, _ in workers.in_shares(_who, range(30), 2)] == list(range(30))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.usefixtures("three")
def test_what_a_worker_gave_up_is_known_here() -> None:
    def gives_up(pieces: Sequence[int]) -> list[int]:
        backstop.note_stops(len(pieces))
        return [*pieces]

    with backstop.watch_time() as watch:
        workers.in_shares(gives_up, range(30), 2)
    assert watch.stops == (30 if backstop._may_watch() else 0)


def test_there_is_one_where_the_process_is_somebody_elses() -> None:
    assert workers.cores() == 1


@pytest.mark.parametrize(("quota", "cores"), [("max 100000", 4), ("200000 100000", 2), ("50000 100000", 1), ("", 4)])
def test_a_container_has_what_it_was_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, quota: str, cores: int
) -> None:
    (tmp_path / "cpu.max").write_text(quota, encoding="ascii")
    monkeypatch.setattr(workers, "_QUOTA", str(tmp_path / "cpu.max"))
    monkeypatch.setattr(interrupts, "is_ours", lambda: True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(64))
    monkeypatch.setattr("threading.active_count", lambda: 1)
    assert workers.cores() == cores
    monkeypatch.setattr("threading.active_count", lambda: 2)
    assert workers.cores() == 1
    monkeypatch.setattr("threading.active_count", lambda: 1)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert workers.cores() == 1


_WAITS = """
import os, sys, time
from nodeworthy import interrupts, workers

def work(pieces):
    print(os.getpid(), flush=True)
    time.sleep(60)
    return pieces

workers.cores = lambda: 2
interrupts.begin()
sys.exit(interrupts.until_ended(lambda: bool(workers.in_shares(work, range(10), 2))))
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all(by: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", _WAITS], stdout=subprocess.PIPE, text=True) as ran:
        assert ran.stdout is not None
        both = {int(ran.stdout.readline()) for _ in range(2)}
        assert ran.pid in both
        ran.send_signal(by)
        assert ran.wait(20) == 128 + by
    [worker] = both - {ran.pid}
    until = time.monotonic() + 10
    while Path(f"/proc/{worker}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


def test_recordings_come_to_the_same_on_one_core(tmp_path: Path) -> None:
    """A broken one among them, and one of which there are two."""
    for at in range(60):
        text = RECORDING.read_text(encoding="utf-8").replace("ip-10-0-17-41", f"ip-10-0-0-{at % 59}")
        (tmp_path / f"{at:02}.json").write_text(text if at != 31 else "{}", encoding="utf-8")
    command = [sys.executable, "-m", "nodeworthy", "node", f"replay:{tmp_path}", "--format", "json", "--show-passed"]
    one = min(os.sched_getaffinity(0))
    ran = [
        subprocess.run(each, capture_output=True, timeout=300, check=False)
        for each in (command, ["taskset", "-c", str(one), *command])
    ]
    assert b'"hosts":60' in ran[0].stdout.replace(b" ", b"")
    assert (ran[0].returncode, ran[0].stdout, ran[0].stderr) == (ran[1].returncode, ran[1].stdout, ran[1].stderr)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("count", [1, 3, 200])
def test_whoever_is_free_takes_the_next(count: int) -> None:
    """While this process does something else, the others work."""
    before = len(os.listdir("/proc/self/fd"))
    with workers.in_turns(lambda number: (number, os.getpid()), range(count)) as made:
        time.sleep(0.05)
        results = made()
    assert [number for number, _ in results] == list(range(count))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.usefixtures("three")
def test_what_a_worker_could_not_do_in_its_turn_is_done_here() -> None:
    here = os.getpid()

    def only_here(number: int) -> int:
        if os.getpid() != here:
            raise ValueError("no")
        return number

    with workers.in_turns(only_here, range(30)) as made:
        assert made() == list(range(30))


@pytest.mark.usefixtures("three")
def test_nobody_works_on_for_whom_nobody_waits() -> None:
    """A file that comes to be read otherwise needs no worker any more."""
    before = _children()
    with workers.in_turns(time.sleep, [60, 60]):
        assert len(_children() - before) == 1
    assert _children() == before


def _children() -> set[str]:
    """Of this process, whichever test began them."""
    return {each for task in Path("/proc/self/task").iterdir() for each in (task / "children").read_text().split()}
