"""A rollout that is killed, asked to end, or met by another one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from nodeworthy.rollout import acts
from nodeworthy.rollout.kube import Kube
from nodeworthy.rollout.lease import Hold
from tests.by_day import some
from tests.real.daemon import PATIENCE
from tests.real.rollout.absence import HOW, WHEN, WHO, Absence
from tests.real.rollout.stage import DEDICATED, GROUP, LIVE, MERGE, REGION, Stage
from tests.real.stand_in_kubelet import NODES
from tests.run import run


def test_two_at_once_refuse_each_other(stage: Stage) -> None:
    stage.mend()
    other = Hold(Kube(None), GROUP, "0badcafe")
    other.take()
    ran = stage.go()
    assert ran.code == 3
    assert "another rollout of t4 is under way, by rollout 0badcafe" in ran.err
    assert stage.versions() == ["1", "1"]
    other.let_go()


@pytest.mark.parametrize(
    ("line", "kill"),
    [
        pytest.param("cordon ", signal.SIGKILL, marks=pytest.mark.night),
        ("terminate ", signal.SIGKILL),
        pytest.param("has joined", signal.SIGKILL, marks=pytest.mark.night),
        ("cordon ", signal.SIGINT),
    ],
)
def test_killed_it_goes_on(stage: Stage, line: str, kill: signal.Signals, tmp_path: Path) -> None:
    stage.mend()
    command = [sys.executable, "-u", "-m", "nodeworthy", *stage.words(*LIVE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as running:
        assert running.stdout is not None
        for told in running.stdout:
            if line in told:
                break
        running.send_signal(kill)
        assert running.wait(timeout=PATIENCE) == (130 if kill is signal.SIGINT else -signal.SIGKILL)
    assert (stage.group()["SuspendedProcesses"] == []) is (kill is signal.SIGINT)
    [kept] = tmp_path.glob("nodeworthy-rollout-*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    ran = run("rollout", "--resume", str(kept), "--endpoint-url", stage.url)
    assert ran.code == 0, ran.err + ran.out
    assert stage.versions() == ["2", "2"]
    assert stage.bridge.most_away == 1
    assert stage.group()["SuspendedProcesses"] == []


@pytest.mark.parametrize(("asked", "code"), [("--pause", 3), ("--abort", 1)])
def test_somebody_else_asks_it_to_pause_or_to_stop(stage: Stage, asked: str, code: int) -> None:
    """From another process, by the Lease."""
    stage.mend()
    command = [sys.executable, "-u", "-m", "nodeworthy", *stage.words(*LIVE)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        next(line for line in running.stdout if "cordon " in line)
        said = run("rollout", "--asg", GROUP, asked)
        assert said.code == 0, said.err
        assert f"is asked to {asked.removeprefix('--')}" in said.out
        _, told = running.communicate(timeout=PATIENCE)
    assert running.returncode == code, told
    assert f"somebody asked for {asked}" in told
    assert "1" in stage.versions()
    assert ("2" in stage.versions()) or asked == "--abort"
    assert all(not each["spec"].get("unschedulable") for each in stage.nodes())
    assert stage.group()["SuspendedProcesses"] == []
    assert stage.group()["LaunchTemplate"]["Version"] == "$Latest"


# Nobody answers

ACTS = (acts.Suspend, acts.Cordon, acts.Terminate, acts.Label, acts.Prove, acts.Welcome, acts.Resume)
ABSENCES = [Absence(*each) for each in product(ACTS, WHO, HOW, WHEN)]


@pytest.mark.parametrize("absence", some(ABSENCES, 2))
def test_nobody_answers_for_a_while_at_an_act_and_it_ends_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, absence: Absence
) -> None:
    """The sockets of the real clients: refused, cut in the middle, or silent."""
    stage.mend()
    person = {"metadata": {"labels": {DEDICATED: "true"}}}
    path = f"{NODES}/{stage.nodes()[0]['metadata']['name']}?fieldManager=kubectl-label"
    stage.client.expect("PATCH", path, person, content_type=MERGE)
    with absence.of(stage, monkeypatch) as url:
        ran = run("rollout", "--asg", GROUP, "--region", REGION, "--endpoint-url", url, *LIVE)
    assert ran.code == 0, ran.err + ran.out
    assert stage.versions() == ["2", "2"]
    assert stage.bridge.most_away == 1
    assert stage.group()["SuspendedProcesses"] == []
