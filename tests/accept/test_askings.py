"""`allocation`: a node is asked for one GPU, for its halves at once, for all; the program says which came."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nodeworthy import programs
from nodeworthy.collect.workload.askings import STEPS, Asking, askings, one_slice
from nodeworthy.collect.workload.jobs import RunTerms
from nodeworthy.collect.workload.live import slurm_clients
from nodeworthy.collect.workload.live.on_kubernetes import OnKubernetes
from nodeworthy.collect.workload.live.on_slurm import OnSlurm
from nodeworthy.collect.workload.live.piece import Ended, Now, Piece
from nodeworthy.collect.workload.live.running import Courtesy, Running, Times
from nodeworthy.collect.workload.slurm import SlurmTerms
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.accept.measure import Shape, Slices
from nodeworthy.known.acceptance import Level, NotRun
from tests.accept.recordings import NONCE, job, write
from tests.accept.stand_in_driver import compile_into
from tests.run import Ran, run_json

LAUNCH = Path(programs.__file__).parent / "launch.py"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_into(tmp_path_factory.mktemp("driver"))


def said(libraries: Path, asking: Asking, came: int, name: str = "NVIDIA Stand-In") -> str:
    """What a job prints that asks so, and is given as many of that name."""
    told = {"NODEWORTHY_NONCE": NONCE, "NODEWORTHY_NODE": "gpu-1", "NODEWORTHY_GPUS": str(asking.gpus)}
    told |= {"LD_LIBRARY_PATH": str(libraries), "STUB_GPUS": str(came), "STUB_NAME": name}
    words = [sys.executable, str(LAUNCH), "allocation=2"]
    environment = {**os.environ, **asking.environment, **told}
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout


ONE, FIRST, SECOND = askings(Shape("gpu-1", None, 8), 0) + askings(Shape("gpu-1", None, 8), 1)


@pytest.fixture(scope="module")
def halves(libraries: Path) -> tuple[str, str]:
    return said(libraries, FIRST, 4), said(libraries, SECOND, 4)


def judged(
    folder: Path, logs: Sequence[str], *, freed: float | None = 0.4, last_freed: float | None = -1.0, **of_last: Any
) -> Ran:
    """Each of these logs is that of a job of its own on the same node."""
    jobs = [{**job("allocation"), "name": f"a{at}", "logs": [f"a{at}.log"], "freed": freed} for at in range(len(logs))]
    jobs[-1] |= of_last | ({"freed": last_freed} if last_freed != -1.0 else {})
    recorded = write(folder, jobs, {f"a{at}.log": each for at, each in enumerate(logs)})
    return run_json("accept", "--from", str(recorded), "--rule", "allocation-honoured", "--show-passed", cwd=folder)


def told(ran: Ran) -> list[tuple[str, str]]:
    return [(each["verdict"], each["message"]) for each in ran.findings if each["rule"] == "allocation-honoured"]


def row(ran: Ran) -> Mapping[str, Any]:
    (found,) = (each for each in ran.report["runs"] if each["test"] == "allocation")
    return dict(found)


def test_a_node_is_asked_for_one_for_halves_and_for_all() -> None:
    sizes = {count: [[each.gpus for each in step] for step in asked(Shape("n", None, count))] for count in (1, 2, 3, 8)}
    assert sizes == {
        1: [[1], [], [], [1, 1]],
        2: [[1], [1, 1], [2], [1, 1]],
        3: [[1], [1, 1], [3], [1, 1]],
        8: [[1], [4, 4], [8], [1, 4]],
    }
    names = [each.called for step in asked(Shape("n", None, 8)) for each in step]
    assert len(set(names)) == len(names)


def asked(shape: Shape) -> list[tuple[Asking, ...]]:
    return [askings(shape, step) for step in range(STEPS)]


def test_a_node_that_mig_has_cut_is_asked_for_a_slice_of_each_profile() -> None:
    """Two at once where there are two; never several in one job, of which a process would see the first."""
    slices = (Slices("1g.10gb", 4, "nvidia.com/mig-1g.10gb"), Slices("3g.40gb", 1, "nvidia.com/mig-3g.40gb"))
    steps = asked(Shape("n", None, None, slices=slices))
    assert [[(each.called, each.resource, each.gpus) for each in step] for step in steps] == [
        [("1 slice 1g.10gb", "nvidia.com/mig-1g.10gb", 1), ("1 slice 3g.40gb", "nvidia.com/mig-3g.40gb", 1)],
        [
            ("1 slice 1g.10gb (first of two jobs)", "nvidia.com/mig-1g.10gb", 1),
            ("1 slice 1g.10gb (second of two jobs)", "nvidia.com/mig-1g.10gb", 1),
        ],
        [],
        [
            ("1 slice 1g.10gb (candidate 1)", "nvidia.com/mig-1g.10gb", 1),
            ("1 slice 3g.40gb (candidate 2)", "nvidia.com/mig-3g.40gb", 1),
        ],
    ]
    beside = asked(Shape("n", None, 2, slices=slices[:1]))
    assert [each.called for each in beside[0]] == ["1 GPU", "1 slice 1g.10gb"]
    assert [each.called for each in beside[2]] == ["2 GPUs"]
    assert [each.called for each in beside[3]] == ["1 GPU (candidate 1)", "1 slice 1g.10gb (candidate 2)"]
    assert [each.is_candidate for step in beside for each in step] == [False] * 7 + [True] * 2


def test_what_came_as_asked_passes(libraries: Path, tmp_path: Path) -> None:
    ran = judged(tmp_path, [said(libraries, ONE, 1)])
    assert [each[0] for each in told(ran)] == ["pass"], ran.out
    assert (row(ran)["state"], [each["name"] for each in row(ran)["measures"]]) == (
        "pass",
        ["asked", "came", "freed_s"],
    )


@pytest.mark.parametrize("came", [0, 2])
def test_another_number_is_told(libraries: Path, tmp_path: Path, came: int) -> None:
    ran = judged(tmp_path, [said(libraries, ONE, came)])
    assert told(ran) == [("fail", "a job that asked for 1 GPU was given another number of GPUs")], ran.out
    assert ran.findings[0]["is"] == str(came)


SLICE = one_slice(Slices("1g.10gb", 7, "nvidia.com/mig-1g.10gb"))


@pytest.mark.parametrize(
    ("asking", "came", "should"),
    [
        (SLICE, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", None),
        (SLICE, "NVIDIA H100 80GB HBM3 MIG 2g.20gb", "a slice 1g.10gb"),
        (SLICE, "NVIDIA H100 80GB HBM3", "a slice 1g.10gb"),
        (ONE, "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "whole GPUs"),
    ],
)
def test_a_slice_is_of_the_profile_that_was_asked_for(
    libraries: Path, tmp_path: Path, asking: Asking, came: str, should: str | None
) -> None:
    ran = judged(tmp_path, [said(libraries, asking, 1, came)])
    wrong = [(each["is"], each["should"]) for each in ran.findings if each["verdict"] == "fail"]
    assert wrong == ([(came, should)] if should else []), ran.out


def test_two_jobs_at_once_that_see_the_same_gpus(halves: tuple[str, str], tmp_path: Path) -> None:
    """As where nothing keeps the devices of jobs apart: each finds the first four of eight."""
    first, second = halves
    # They were begun one after the other here, and at once there.
    ran = judged(tmp_path, [first, second.replace(since(second), f"{float(since(first)) + 0.1:.3f}")])
    assert [each[1] for each in told(ran)] == ["one GPU was given to two jobs at once"], ran.out


def since(log: str) -> str:
    (line,) = (each for each in log.splitlines() if '"held_from"' in each)
    return line.split('"value": ')[1].split(",")[0]


def test_two_jobs_that_never_were_at_once_prove_nothing(halves: tuple[str, str], tmp_path: Path) -> None:
    ran = judged(tmp_path, halves)
    assert [each[0] for each in told(ran)] == ["unknown"], ran.out
    assert "never were at once" in told(ran)[0][1]


@pytest.mark.parametrize(("freed", "verdict"), [(60.0, "pass"), (60.1, "fail"), (None, "unknown")])
def test_gpus_are_free_a_minute_after_the_end(
    libraries: Path, tmp_path: Path, freed: float | None, verdict: str
) -> None:
    assert [each[0] for each in told(judged(tmp_path, [said(libraries, ONE, 1)], freed=freed))] == [verdict]


def test_what_came_is_judged_where_another_part_was_not_asked_for(libraries: Path, tmp_path: Path) -> None:
    """The node's row says what is missing, and what was wrong before is a finding all the same."""
    ran = judged(tmp_path, [said(libraries, ONE, 2), ""], state="preempted", why="it made room")
    assert ("fail", "a job that asked for 1 GPU was given another number of GPUs") in told(ran)
    assert (row(ran)["state"], row(ran)["why"], ran.code) == ("not run", "it made room", 1)


class Slow:
    """A platform whose pieces end at once, and hold their GPUs for some looks longer."""

    def __init__(self, looks: float, *, silent: bool = False) -> None:
        self.looks, self.silent, self.begun = looks, silent, list[str]()

    def start(self, piece: Piece) -> None:
        self.begun.append(piece.name)

    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        return {each.name: Now("ran", True, True) for each in pieces}

    def keeps_off(self, pieces: Sequence[Piece]) -> Mapping[str, Any]:
        return {}

    def output(self, piece: Piece) -> tuple[bytes, ...]:
        return (b"",)

    def remove(self, piece: Piece) -> None:
        pass

    def holding(self, pieces: Sequence[Piece]) -> frozenset[str]:
        if self.silent:
            raise CouldNotLook("nobody answers")
        self.looks -= 1
        return frozenset(each.name for each in pieces if self.looks >= 0)


class Races(Slow):
    """Of two candidates one begins at the second look, and is over at the fourth; who is removed holds GPUs still."""

    def __init__(self, looks: float, *, first: str) -> None:
        super().__init__(looks)
        self.first, self.seen, self.removed = first, 0, list[str]()

    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        self.seen += 1
        return {each.name: self._now(each.name == self.first) for each in pieces}

    def _now(self, is_first: bool) -> Now:
        begun = is_first and self.seen >= 2
        return Now("runs" if begun else "waits", begun, begun and self.seen >= 4)

    def remove(self, piece: Piece) -> None:
        self.removed.append(piece.name)


CANDIDATES = askings(Shape("gpu-1", None, 8), 3)


def race(platform: Slow, *, at_once: int = 2) -> list[Ended]:
    clock = iter(range(0, 100_000, 10))
    courtesy = Courtesy(10_000, times=Times(poll=0, free=200), clock=lambda: float(next(clock)))
    running = Running(platform, courtesy, lambda *_: None, lambda _, held: len(held) < at_once)
    shape = Shape("gpu-1", None, 8)
    pieces = zip(("a", "b"), CANDIDATES, strict=True)
    return running.run([Piece(name, (shape,), ("allocation",), 5000, asking) for name, asking in pieces])


@pytest.mark.parametrize(("first", "last"), ["ab", "ba"])
def test_of_several_candidates_the_first_that_begins_stays(first: str, last: str) -> None:
    platform = Races(2, first=first)
    ended = {each.piece.name: each for each in race(platform)}
    assert (ended[first].ended, ended[last].ended) == (None, NotRun.LOST)
    assert ended[last].why == f"{first} began before it"
    assert platform.removed == [last, first]
    assert (ended[last].freed or 0) > 0


class OverAtOnce(Slow):
    def look(self, pieces: Sequence[Piece]) -> Mapping[str, Now]:
        return {each.name: Now("ran", True, True) for each in pieces}


def test_of_two_that_are_over_when_one_looks_the_first_stays() -> None:
    ended = {each.piece.name: each.ended for each in race(OverAtOnce(0))}
    assert ended == {"a": None, "b": NotRun.LOST}


def test_a_candidate_is_not_begun_any_more_where_another_has_won() -> None:
    platform = Races(0, first="a")
    ended = {each.piece.name: each for each in race(platform, at_once=1)}
    assert (platform.begun, ended["b"].ended, ended["b"].freed) == (["a"], NotRun.LOST, 0.0)


@pytest.mark.parametrize(("gone", "verdict"), [(60.0, "pass"), (60.1, "fail"), (None, "unknown")])
def test_who_has_lost_is_gone_within_a_minute(
    libraries: Path, tmp_path: Path, gone: float | None, verdict: str
) -> None:
    """Its own job printed nothing."""
    first, last = CANDIDATES
    lost: dict[str, Any] = {"state": "lost", "why": "a0 began before it", "asking": last.called}
    ran = judged(tmp_path, [said(libraries, first, 1), ""], last_freed=gone, **lost)
    assert [each[0] for each in told(ran)] == [verdict], ran.out
    assert row(ran)["state"] == verdict


def course(platform: Slow) -> list[Ended]:
    """By a clock that goes ten seconds with each look at it."""
    clock = iter(range(0, 100_000, 10))
    courtesy = Courtesy(10_000, times=Times(poll=0, free=200), clock=lambda: float(next(clock)))
    running = Running(platform, courtesy, lambda *_: None, lambda _, held: not held)
    return running.run([Piece(each, (Shape("gpu-1", None, 8),), ("allocation",), 60, ONE) for each in ("a", "b")])


def test_who_ends_is_waited_for_until_its_gpus_are_free() -> None:
    platform = Slow(2)
    first, second = course(platform)
    assert platform.begun == ["a", "b"]
    assert first.freed is not None
    assert second.freed is not None
    assert first.freed > second.freed > 0


def test_who_never_lets_go_is_told_with_the_time_that_was_waited() -> None:
    assert [each.freed is not None and each.freed >= 200 for each in course(Slow(float("inf")))] == [True, True]


def test_whether_it_let_go_is_not_known_where_nobody_answers() -> None:
    assert [each.freed for each in course(Slow(0, silent=True))] == [None, None]


def test_whose_turn_it_is_stays_known_while_gpus_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer than a turn lasts that nobody renews."""
    renewed: list[float] = []
    turn: Any = SimpleNamespace(renew=renewed.append)
    monkeypatch.setattr(slurm_clients, "ask", lambda *_: "")
    terms = SlurmTerms("1f2e", NONCE, Level.FULL, ("allocation",), "h100:8", "/v/python", "/s")
    assert OnSlurm(terms, turn, {}, clock=lambda: 42.0).holding([]) == frozenset()
    assert renewed == [42.0]
    bench: Any = SimpleNamespace(pods_of=lambda _: [])
    of_jobs = RunTerms("1f2e", NONCE, "x", Level.FULL, ("allocation",), "nodeworthy")
    assert OnKubernetes(bench, of_jobs, turn, {}, clock=lambda: 43.0).holding([]) == frozenset()
    assert renewed == [42.0, 43.0]
