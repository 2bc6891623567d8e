"""`accept --on slurm` against a real Slurm with its accounting: what it runs, whom it lets go first, and what it leaves."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nodeworthy.collect.workload.lines import begin_mark
from nodeworthy.collect.workload.live import slurm_clients
from nodeworthy.collect.workload.live.on_slurm import SlurmPatience
from nodeworthy.collect.workload.live.running import Times
from nodeworthy.commands.accept import live, on_slurm
from nodeworthy.patterns import pattern
from tests.accept.recordings import NONCE
from tests.accept.stand_in_driver import compile_into
from tests.run import run, run_json

from .accepting_on_slurm import (
    ONE_TEST,
    WAITS,
    accept,
    arguments,
    begun,
    forget_ends,
    its_number,
    left,
    queue,
    rest,
    states,
    stop,
    tell_database,
    while_it_runs,
    without_tests,
)
from .daemon import PATIENCE
from .kube_client import wait_for
from .quick_level import said_in
from .slurm_cluster import SlurmCluster, SlurmError
from .tools import Tools

QUICK = SlurmPatience(scheduling=20.0, accounting=20.0, first=0.5, last=1.0)


@pytest.fixture(scope="module")
def cluster(tools: Tools) -> Iterator[SlurmCluster]:
    with SlurmCluster.of(tools) as cluster:
        yield cluster


@pytest.fixture
def slurm(cluster: SlurmCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlurmCluster]:
    (tmp_path / "scratch").mkdir()
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(live, "TIMES", Times(poll=0.2, opt_out=0.5))
    monkeypatch.setattr(live, "GONE_POLL_SECONDS", 0.2)
    monkeypatch.setattr(on_slurm, "PATIENCE", QUICK)
    rest(cluster)
    yield cluster
    rest(cluster)


def test_what_a_dry_run_prints_is_taken_measures_and_leaves_nothing(slurm: SlurmCluster, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    where = ("--python", sys.executable, "--scratch", str(scratch), "--partition", "gpu")
    asked = ("--gpus", "a100:2", "--level", "quick", "--test", "disk-and-network")
    ran = run("accept", "--on", "slurm", *asked, *where, "--dry-run", "--record", str(tmp_path / "run"), cwd=tmp_path)
    assert ran.code == 0, ran.err
    number = slurm.submit(tmp_path / "run" / "node-any.sbatch", "--mem=1000", "--export=ALL,NODEWORTHY_MIB=8")
    said = slurm.ended(number)
    nonce = (pattern(r"NODEWORTHY_NONCE=(\w+)").search(ran.out) or [""])[1]
    assert begin_mark(nonce) in said, said
    node = slurm.job(number)["NodeList"]
    job = {"name": "j", "nodes": [node], "tests": ["disk-and-network"], "state": "ran", "logs": ["j.log"], "gpus": 2}
    head = {"schema": "nodeworthy/accept/v1", "moment": "workload", "nonce": nonce, "level": "quick", "on": "slurm"}
    plan = {**head, "nodes": [{"name": node, "gpu": "A100", "count": 2}], "jobs": [job], "not_run": []}
    (tmp_path / "run" / "run.json").write_text(json.dumps(plan))
    (tmp_path / "run" / "j.log").write_text(said)
    report = run_json("accept", "--from", str(tmp_path / "run"), cwd=tmp_path).report
    assert [each["rule"] for each in report["findings"]] == ["storage-fast-enough"]
    assert {each["name"] for each in report["runs"][0]["measures"]} == {"write_gbps", "read_gbps"}
    assert list(scratch.iterdir()) == []


def test_what_jobs_run_is_measured_and_nothing_is_left(slurm: SlurmCluster) -> None:
    ran = accept("n1", "n2", "--max-nodes", "2", "--record", "kept", "--show-passed")
    assert ran.code == 3, ran.err + ran.out  # of this storage nobody said how fast it must be
    assert {each[0] for each in states(ran).values()} == {"unknown"}, (states(ran), ran.err)
    measures = [one for each in ran.report["runs"] if each["test"] == "disk-and-network" for one in each["measures"]]
    assert {(each["node"], each["name"]) for each in measures} == {
        (node, name) for node in ("n1", "n2") for name in ("write_gbps", "read_gbps")
    }
    passed = [each["where"]["host"] for each in ran.findings if each["rule"] == "verification-yields"]
    assert sorted(passed) == ["n1", "n2"]
    assert (queue(slurm), left()) == ([], [])
    again = run("accept", "--from", "kept", *ONE_TEST[2:], "--format", "json")
    assert (again.code, states(again)) == (ran.code, states(ran))


def test_its_jobs_are_behind_everybody_and_are_begun_once(slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where whoever runs it has other habits."""
    monkeypatch.setenv("SBATCH_REQUEUE", "1")
    monkeypatch.setenv("SBATCH_TIMELIMIT", "1-0")
    seen: list[dict[str, str]] = []

    def looks() -> None:
        (number,) = slurm.ask("squeue", "-h", "-o", "%i").split()
        seen.append(slurm.job(number))
        slurm.ask("scancel", number)

    ran = while_it_runs(looks, "n1")
    assert (seen[0]["Nice"], seen[0]["Requeue"], seen[0]["TimeLimit"]) == ("10000", "0", "00:03:00")
    state, why = states(ran)["n1"]
    assert (ran.code, state, why) == (3, "not run", "Slurm says CANCELLED")


def test_whoever_opts_out_or_drains_meanwhile_is_left(slurm: SlurmCluster) -> None:
    features = ("scontrol", "update", "nodename=n1")
    ran = while_it_runs(lambda: slurm.ask(*features, "features=nodeworthy_verify_disabled"), "n1")
    early = accept("n1")
    slurm.ask(*features, "activefeatures=")
    slurm.ask(*features, "availablefeatures=")
    assert states(ran)["n1"][0] == "not run"
    assert "n1: the node has opted out meanwhile, by its feature nodeworthy_verify_disabled" in states(ran)["n1"][1]
    assert states(early)["n1"] == ("not run", "by its feature nodeworthy_verify_disabled")
    drained = while_it_runs(lambda: slurm.ask(*features, "state=drain", "reason=a fan"), "n1")
    wait_for(lambda: queue(slurm) == [], seconds=PATIENCE)
    closed = accept("n1")
    slurm.ask(*features, "state=resume")
    assert "somebody has drained it meanwhile: a fan" in states(drained)["n1"][1]
    assert "DRAIN" in states(closed)["n1"][1]


def test_where_others_work_nothing_is_begun(slurm: SlurmCluster, tmp_path: Path) -> None:
    script = tmp_path / "theirs.sh"
    script.write_text("#!/bin/bash\nsleep 600\n")
    number = slurm.submit(script, "--gpus-per-node=a100:2", "--nodelist=n1", "--job-name=train")
    slurm.settled(number)
    ran = accept("n1")
    slurm.ask("scancel", number)
    assert states(ran)["n1"] == ("not run", f"its GPUs are in use: job {number} of root holds 2")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--partition", "none"), "invalid partition"),
        (("--account", "none"), "Invalid account"),
        (("--qos", "none"), "Invalid qos"),
        (("--reservation", "none"), "reservation is invalid"),
    ],
)
def test_what_sbatch_refuses_is_told_in_its_words(slurm: SlurmCluster, given: tuple[str, str], words: str) -> None:
    ran = accept("n1", *given)
    state, why = states(ran)["n1"]
    assert ran.code == 3
    assert state != "pass"
    assert words.lower() in why.lower()


def test_a_qos_that_never_lets_it_run(slurm: SlurmCluster) -> None:
    slurm.ask("sacctmgr", "-i", "modify", "qos", "mig", "set", "MaxTRESPerJob=cpu=1")
    slurm.ask("sacctmgr", "-i", "modify", "user", "root", "set", "qos+=mig")
    ran = accept("n1", "--qos", "mig")
    state, why = states(ran)["n1"]
    assert (ran.code, state) == (3, "not run"), (why, ran.err)
    assert "QOSMax" in why or "policy" in why


def test_where_there_is_no_pyxis_srun_says_so(slurm: SlurmCluster) -> None:
    """Nothing here has it: that srun knows the word is what is found out, and its answer is what is told."""
    ran = accept("n1", "--container", "nvcr.io#nvidia/pytorch:25.10-py3", "--accounting-patience", "20s")
    state, why = states(ran)["n1"]
    assert (ran.code, state) == (3, "error"), (why, ran.err)
    assert "--container-image" in why
    assert left() == []


def test_two_runs_refuse_each_other_and_whoever_is_interrupted_leaves_nothing(slurm: SlurmCluster) -> None:
    first = begun("n1", setup=WAITS)
    wait_for(Path("scratch/waits").exists, seconds=PATIENCE)
    second = accept("n2")
    first.send_signal(signal.SIGTERM)
    _, told = first.communicate(timeout=PATIENCE)
    assert second.code == 3
    assert "another run of accept is under way with " in second.err
    assert (first.returncode, "removed what this run had made: 1 jobs of nodeworthy-accept-" in told) == (143, True)
    wait_for(lambda: queue(slurm) == [], seconds=PATIENCE)
    assert left() == ["waits"]


def test_what_a_killed_run_has_left_ends_by_itself_or_with_the_next(slurm: SlurmCluster) -> None:
    first = begun("n1", setup=WAITS)
    wait_for(Path("scratch/waits").exists, seconds=PATIENCE)
    (number,) = slurm.ask("squeue", "-h", "-o", "%i").split()
    job = slurm.job(number)
    first.kill()
    first.communicate(timeout=PATIENCE)
    assert (job["TimeLimit"], job["Requeue"], job["Deadline"] != "N/A") == ("00:03:00", "0", True)
    Path("scratch/nodeworthy-1f2e3d4c-7.log").write_text("of a run that somebody made by hand")
    ran = accept("n2")
    assert f"removed job {number}, which a run had left that was killed" in ran.err
    assert states(ran)["n2"][0] == "unknown"
    wait_for(lambda: queue(slurm) == [], seconds=PATIENCE)
    assert sorted(left()) == ["nodeworthy-1f2e3d4c-7.log", "waits"]


@pytest.mark.parametrize("silent", ["slurmdbd", "slurmctld"])
def test_who_does_not_answer_for_a_while_says_nothing_against_a_job(
    slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch, silent: str
) -> None:
    """While its programs end: it is asked again, and what they measured counts."""
    monkeypatch.setattr(slurm_clients, "CLIENT_SECONDS", 1.0)
    monkeypatch.setattr(live, "TIMES", Times(poll=0.2, opt_out=600.0))

    def goes_silent() -> None:
        stop(slurm, silent)
        Path("scratch/goes").touch()
        time.sleep(4)
        stop(slurm, silent, sent=signal.SIGCONT)

    ran = while_it_runs(goes_silent, "n1")
    assert states(ran)["n1"][0] == "unknown", (states(ran), ran.err)
    assert ran.code == 3
    assert [each["rule"] for each in ran.findings if each["verdict"] == "fail"] == []


FAKE = """#!/bin/sh
echo "==== nodeworthy $NODEWORTHY_NONCE begins ===="
sed -e "s/{nonce}/$NODEWORTHY_NONCE/g" -e "s/\\"gpu-1\\"/\\"$NODEWORTHY_NODE\\"/g" {said}
echo "==== nodeworthy $NODEWORTHY_NONCE ends ===="
"""


def test_who_fails_is_drained_and_stays_so(slurm: SlurmCluster, tmp_path: Path) -> None:
    """One bit of one GPU is wrong."""
    (tmp_path / "said").write_text("\n".join(said_in("gpu-computes-right/bad-one-bit")) + "\n")
    python = tmp_path / "python"
    python.write_text(FAKE.format(nonce=NONCE, said=tmp_path / "said"))
    python.chmod(0o755)
    where = ("--python", str(python), "--scratch", str(tmp_path / "scratch"), "--partition", "gpu")
    given = ("accept", "--on", "slurm", *where, "--yes", "--yes-last", "--level", "quick", "--taint", "n1", "n2")
    slurm.ask("scontrol", "update", "nodename=n2", "state=drain", "reason=a fan")
    try:
        ran = run(*given, "--format", "json")
        told = slurm.ask("sinfo", "-h", "-R", "-o", "%N %E", "-n", "n1,n2")
    finally:
        slurm.ask("scontrol", "update", "nodename=n1,n2", "state=resume")
    assert ran.code == 1, ran.err
    assert "n1 nodeworthy: gpu-computes-right" in told, (told, ran.err)
    assert "n2 a fan" in told


def test_a_group_is_one_job_whose_tasks_are_heard_apart(slurm: SlurmCluster) -> None:
    """Both come; without torch they come as far as that, which is an error and no pass."""
    # Nobody on this machine knows these nodes by their names.
    named = "scontrol() { echo 127.0.0.1; }\n"
    given = [each for each in arguments("n1", "n2", setup=named) if each not in ONE_TEST]
    ran = run(*given, "--level", "full", "--test", "multi-node", "--record", "kept", "--format", "json")
    (row,) = [each for each in ran.report["runs"] if each["test"] == "multi-node"]
    assert (ran.code, row["state"], row["nodes"]) == (3, "error", ["n1", "n2"]), (row, ran.err)
    assert "torch" in row["why"]
    assert len(list(Path("kept").glob("*.log"))) == 2


def test_a_node_that_goes_down_is_named(slurm: SlurmCluster) -> None:
    """And nothing is begun again elsewhere."""

    def node_fails() -> None:
        slurm.ask("scontrol", "update", "nodename=n1", "state=down", "reason=it burns")

    ran = while_it_runs(node_fails, "n1")
    with suppress(SlurmError):  # it may have come back by itself
        slurm.ask("scontrol", "update", "nodename=n1", "state=resume")
    state, why = states(ran)["n1"]
    assert state == "error", (why, ran.err)
    assert "NODE_FAIL (n1)" in why or "DOWN" in why


def test_without_torch_the_driver_alone_finds_the_gpu_that_computes_wrong(slurm: SlurmCluster, tmp_path: Path) -> None:
    (tmp_path / "driver").mkdir()
    first, *others = slurm.ask("sinfo", "-h", "-N", "-p", "gpu", "-o", "%N").split()
    said = {"LD_LIBRARY_PATH": str(compile_into(tmp_path / "driver")), "NODEWORTHY_COPIED": "65536"}
    said |= {
        "STUB_NAME": "NVIDIA A100-SXM4-80GB",
        "STUB_GPUS": "$SLURM_GPUS_ON_NODE",
        "STUB_NODE": "${SLURMD_NODENAME#n}",
    }
    lines = [f'export {name}="{value}"' for name, value in said.items()]
    lines.append(f'if [ "$SLURMD_NODENAME" = {first} ]; then export STUB_FAULT=floats:1; fi')
    judged = ("--rule", "gpu-computes-right", "--without-torch")
    ran = run(*without_tests(arguments(setup="\n".join([*lines, ""]))), *judged, "--format", "json")
    assert ran.code == 1, ran.err
    failed = [(each["rule"], each["where"]["host"]) for each in ran.findings if each["verdict"] == "fail"]
    assert failed == [("gpu-computes-right", first)], ran.out[:3000]
    tried = {(each["test"], name): each["state"] for each in ran.report["runs"] for name in each["nodes"]}
    sanity = {name: tried["gpu-sanity", name] for name in others}
    assert set(sanity.values()) == {"pass"}, (sanity, [each["message"] for each in ran.findings])
    assert {tried["ddp", name] for name in (first, *others)} == {"not run"}


def test_a_node_is_asked_for_parts_of_it_and_says_what_came(slurm: SlurmCluster, tmp_path: Path) -> None:
    """Nothing keeps the devices of n2's jobs apart."""
    (tmp_path / "driver").mkdir()
    said = {"LD_LIBRARY_PATH": str(compile_into(tmp_path / "driver")), "STUB_NAME": "NVIDIA A100-SXM4-80GB"}
    said |= {"STUB_GPUS": "$SLURM_GPUS_ON_NODE", "STUB_NODE": "$SLURM_JOB_ID"}
    lines = [f'export {name}="{value}"' for name, value in said.items()]
    lines.append('if [ "$SLURMD_NODENAME" = n2 ]; then export STUB_NODE=0; fi')
    given = without_tests(arguments("n1", "n2", "--max-nodes", "2", setup="\n".join([*lines, ""])))
    given[given.index("quick")] = "full"
    which = ("--test", "allocation", "--without-torch", "--rule", "allocation-honoured", "--format", "json")
    ran = run(*given, *which)
    told = {each["where"]["host"]: each["message"] for each in ran.findings if each["verdict"] == "fail"}
    assert told == {"n2": "one GPU was given to two jobs at once"}, (ran.out, ran.err)
    rows = {each["nodes"][0]: each for each in ran.report["runs"] if each["test"] == "allocation"}
    assert rows["n1"]["state"] == "pass", rows
    assert sum(1 for each in rows["n1"]["measures"] if each["name"] in ("freed_s", "gone_s")) == 6
    assert sum(1 for each in rows["n1"]["measures"] if each["name"] == "lost") == 1
    assert (queue(slurm), left()) == ([], [])


def test_a_slice_of_mig_is_tried_by_itself(slurm: SlurmCluster, tmp_path: Path) -> None:
    """n4 has four, of which a job's program sees one: the second of two at once is given another profile."""
    (tmp_path / "driver").mkdir()
    said = {"LD_LIBRARY_PATH": str(compile_into(tmp_path / "driver")), "STUB_GPUS": "1", "STUB_NODE": "$SLURM_JOB_ID"}
    lines = [f'export {name}="{value}"' for name, value in said.items()]
    name = "NVIDIA A100-SXM4-80GB MIG"
    lines.append(f'export STUB_NAME="{name} 1g.10gb"')
    lines.append(f'case $SLURM_JOB_NAME in *-1b) STUB_NAME="{name} 2g.20gb" ;; esac')
    given = without_tests(arguments("n4", setup="\n".join([*lines, ""])))
    given[given.index("quick")], given[given.index("gpu")] = "full", "gpu-mig"
    which = [word for each in ("gpu-sanity", "gpu-as-asked", "allocation") for word in ("--test", each)]
    ran = run(*given, *which, "--without-torch", "--format", "json")
    wrong = [(each["rule"], each["is"]) for each in ran.findings if each["verdict"] == "fail"]
    assert wrong == [("allocation-honoured", f"{name} 2g.20gb")], (ran.out, ran.err)
    states = {each["test"]: each["state"] for each in ran.report["runs"]}
    assert (states["gpu-sanity"], states["gpu-as-asked"], states["ddp"]) == ("unknown", "pass", "not run"), ran.err
    assert (queue(slurm), left()) == ([], [])


def test_accounting_that_hears_late_of_an_end_says_nothing_against_a_job(
    slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its table is locked when the job is killed, and the controller has forgotten it: for a while nobody knows."""
    forget_ends(monkeypatch)
    monkeypatch.setattr(on_slurm, "PATIENCE", replace(QUICK, accounting=PATIENCE))
    locks: list[threading.Thread] = []

    def locked() -> None:
        held = "LOCK TABLES test_job_table WRITE; SELECT SLEEP(12); UNLOCK TABLES;"
        locks.append(threading.Thread(target=tell_database, args=(slurm, held), daemon=True))
        locks[0].start()
        time.sleep(1)
        slurm.ask("scancel", its_number(slurm))

    ran = while_it_runs(locked, "n1")
    locks[0].join(PATIENCE)
    assert ran.err.count("neither the controller nor the accounting knows its end") == 1, ran.err
    state, why = states(ran)["n1"]
    assert (ran.code, state) == (3, "not run"), (why, ran.err)
    assert "CANCELLED" in why


@pytest.mark.night
def test_a_record_of_another_under_our_number_is_not_believed(
    slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says FAILED, a year ago; of ours there is none when it has ended."""
    forget_ends(monkeypatch)

    def becomes_anothers() -> None:
        number = its_number(slurm)
        theirs = "id_user=4242, job_name='train', state=5, time_submit=time_submit-86400*365"
        wait_for(lambda: "RUNNING" in slurm.ask("sacct", "-n", "-X", "-o", "state", "-j", number), seconds=PATIENCE)
        tell_database(slurm, f"UPDATE test_job_table SET {theirs} WHERE id_job={number};")
        slurm.ask("scancel", number)

    ran = while_it_runs(becomes_anothers, "n1")
    state, why = states(ran)["n1"]
    assert (ran.code, state) == (3, "not run"), (why, ran.err)
    assert "neither the controller nor the accounting knows its end" in why
    assert [row["not_run"] for row in ran.report["runs"] if row["test"] == "disk-and-network"] == ["not-heard"]


def test_who_is_preempted_makes_room_and_is_not_begun_again(slurm: SlurmCluster, tmp_path: Path) -> None:
    """By people's work of a QOS that comes first."""
    theirs = tmp_path / "theirs.sh"
    theirs.write_text("#!/bin/bash\nsleep 600\n")
    slurm.ask("sacctmgr", "-i", "add", "qos", "people", "set", "Preempt=normal", "PreemptMode=cancel")
    slurm.ask("sacctmgr", "-i", "modify", "user", "root", "set", "qos+=people,normal")
    numbers: list[str] = []

    def others_come() -> None:
        asked = ("--qos=people", "--gpus-per-node=a100:4", "--nodelist=n1", "--job-name=train")
        numbers.append(slurm.submit(theirs, *asked))

    try:
        ran = while_it_runs(others_come, "n1")
        assert slurm.settled(numbers[0])["JobState"] == "RUNNING"
    finally:
        slurm.ask("scancel", *numbers)
    state, why = states(ran)["n1"]
    assert (ran.code, state) == (3, "not run"), (why, ran.err)
    assert "PREEMPTED" in why
    assert [row["not_run"] for row in ran.report["runs"] if row["test"] == "disk-and-network"] == ["preempted"]


def test_what_runs_at_the_end_of_all_is_ended(slurm: SlurmCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the window, and by the time that a whole run may take."""
    evening = datetime(2026, 11, 27, 21, 0, tzinfo=UTC)
    later: list[int] = []
    monkeypatch.setattr(live, "LOCAL_TIME", lambda: evening + timedelta(hours=len(later)))
    tight = accept("n1", "--window", "20:00-21:01")
    assert "and the window 20:00-21:01 has not as much" in states(tight)["n1"][1]
    ran = while_it_runs(lambda: later.append(1), "n1", "--window", "20:00-22:00")
    assert "the window 20:00-22:00 has ended" in states(ran)["n1"][1]
    assert (queue(slurm), "not run") == ([], states(ran)["n1"][0])
