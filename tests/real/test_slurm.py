"""What a real Slurm does with the jobs that our rules call right and wrong: they may not know better than it does."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.verdict import Known, Place
from tests.architecture.tree import ROOT
from tests.case_files import whole
from tests.run import run

from .slurm_cluster import SlurmCluster, SlurmError
from .tools import Tools


@pytest.fixture(scope="module")
def slurm(tools: Tools) -> Iterator[SlurmCluster]:
    with SlurmCluster.of(tools) as cluster:
        yield cluster


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "job.sh"


def write(script: Path, *lines: str) -> Path:
    script.write_text("\n".join(["#!/bin/bash", *lines, ""]), encoding="utf-8")
    return script


def verdicts(path: Path, rule: str) -> set[str]:
    report = run("check", str(path), "--rule", rule, "--format", "json", "--show-passed", cwd=path.parent).report
    return {found["verdict"] for found in report["findings"]}


def test_a_slice_is_given_one_cpu_and_little_memory(slurm: SlurmCluster) -> None:
    for name, reason in {
        "bad-auto-memory": "QOSMaxCpuPerJobLimit",
        "bad-nothing-said": "QOSMaxMemoryPerJob",
    }.items():
        (path,) = whole(f"slurm-mig-request/{name}").glob("*.slurm")
        number = slurm.submit(path, "--partition=gpu-mig", "--gres=gpu:1g.10gb:1")
        job = slurm.settled(number)
        assert (job["JobState"], job["Reason"]) == ("PENDING", reason)
        slurm.ask("scancel", number)
    right = slurm.settled(slurm.submit(whole("slurm-mig-request/good-one-cpu") / "check.slurm"))
    assert right["JobState"] != "PENDING"


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ("slurm-gpu-as-asked/bad-no-such-gpu", "Invalid generic resource|Requested node configuration"),
        ("slurm-gpu-as-asked/bad-other-partition", "Invalid generic resource|Requested node configuration"),
        ("slurm-gpu-as-asked/bad-more-than-a-node-has", "Invalid generic resource|Requested node configuration"),
        ("slurm-script-found/bad-windows", "DOS line breaks"),
    ],
)
def test_what_sbatch_refuses_is_a_finding(slurm: SlurmCluster, case: str, says: str) -> None:
    (path,) = whole(case).glob("*.sh")
    with pytest.raises(SlurmError, match=says):
        slurm.submit(path)
    assert "fail" in verdicts(path, case.partition("/")[0])


def test_a_script_without_a_first_line(slurm: SlurmCluster, script: Path) -> None:
    script.write_text("#SBATCH --gres=gpu:1\npython -c 1\n", encoding="utf-8")
    with pytest.raises(SlurmError, match="does not look like a batch script"):
        slurm.submit(script)
    assert verdicts(script, "slurm-script-found") == {"fail"}


def test_our_reading_of_its_lines(slurm: SlurmCluster, script: Path) -> None:
    """What counts, what is a comment, and where reading ends."""
    lines = [
        '#SBATCH --job-name="two words" -N1',
        "#SBATCH -c 4# not eight",
        "##SBATCH -c 8",
        "# SBATCH -c 9",
        " #SBATCH -c 10",
        "#SBATCH --mem=2G --time 1-2:30",
        "#SBATCH\t--gres=gpu:a100:2",
        "",
        "# a comment",
        "#SBATCH --comment=late",
        "true",
        "#SBATCH -c 16 --mem=4G --time=5",
    ]
    request = SlurmJob(Place("job.sh"), write(script, *lines).read_text()).request
    job = slurm.job(slurm.submit(script))
    assert (job["CPUs/Task"], request.count("cpus-per-task")) == ("4", 4)
    assert (job["MinMemoryNode"], request.text("mem")) == ("2G", "2G")
    assert (job["TimeLimit"], request.text("time")) == ("1-02:30:00", "1-2:30")
    assert (job["TresPerNode"], request.gpus_per_node) == ("gres:gpu:a100:2", 2)
    assert (job["Comment"], request.text("comment")) == ("late", "late")
    dead = request.dead("mem")
    assert dead is not None
    assert dead.value.state == Known("4G")


def test_who_knows_the_rank(slurm: SlurmCluster, script: Path) -> None:
    """The batch script's own is nought; what each task expands differs."""
    write(
        script,
        "#SBATCH -N 2 --ntasks-per-node=1 --gres=gpu:a100:1",
        "srun echo early=$SLURM_NODEID,$SLURM_PROCID",
        "srun bash -c 'echo late=$SLURM_NODEID,$SLURM_PROCID'",
        "echo nodes=$SLURM_NNODES tasks=$SLURM_NTASKS cpus=${SLURM_CPUS_PER_TASK-unset} gpus=$SLURM_GPUS_ON_NODE",
        'echo "$0"',
    )
    said = slurm.ended(slurm.submit(script))
    assert said.count("early=0,0") == 2
    assert {"late=0,0", "late=1,1"} <= set(said.split())
    assert "nodes=2 tasks=2 cpus=unset gpus=1" in said
    assert "slurm_script" in said
    given = SlurmJob(Place("job.sh"), script.read_text()).walked.ran[0].environment
    assert [given[f"SLURM_{name}"].known for name in ("NNODES", "NTASKS", "GPUS_ON_NODE", "NODEID")] == [
        "2",
        "2",
        "1",
        "0",
    ]
    assert "SLURM_CPUS_PER_TASK" not in given


@pytest.mark.parametrize("folder", ["$HOME", "~"])
def test_a_log_in_a_folder_that_only_a_shell_knows(folder: str, slurm: SlurmCluster, script: Path) -> None:
    """The job ends before its first command; into a folder that is written out it writes."""
    began = script.parent / "began"
    for path, runs in ((f"{folder}/x-%j.out", False), (f"{script.parent}/x-%j.out", True)):
        write(script, "#SBATCH --gres=gpu:a100:1", f"#SBATCH --output={path}", f"touch {began}-$SLURM_JOB_ID")
        number = slurm.ask("sbatch", "--parsable", str(script), cwd=script.parent).strip()
        assert slurm.over(number)["JobState"] == ("COMPLETED" if runs else "FAILED")
        assert Path(f"{began}-{number}").exists() is runs
        assert ("fail" in verdicts(script, "slurm-script-found")) is not runs


def test_an_untyped_request_lands_on_anything(slurm: SlurmCluster, script: Path) -> None:
    write(script, "#SBATCH -J v100-baseline --gres=gpu:2 -w n5", "true")
    assert slurm.settled(slurm.submit(script))["Reason"] == "None"
    write(script, "#SBATCH -J v100-baseline --gres=gpu:2", "true")
    assert verdicts(script, "slurm-gpu-as-asked") == {"fail"}


BODIES = {
    "no trap": ("sleep 20 & wait", "", False),
    "a trap, and the work in the foreground": ("trap 'echo answered; exit' USR1; sleep 6", "answered", True),
    "a trap, and the work in the background": ("trap 'echo answered; exit' USR1; sleep 6 & wait", "answered", False),
}


@pytest.mark.parametrize("called", BODIES)
def test_who_answers_the_signal(slurm: SlurmCluster, script: Path, called: str) -> None:
    """The signal to the batch shell (`B:`), sent by hand: Slurm's own would come after a minute."""
    body, says, late = BODIES[called]
    number = slurm.submit(write(script, "#SBATCH --time=5", body))
    assert slurm.settled(number)["JobState"] == "RUNNING"
    time.sleep(0.5)
    began = time.monotonic()
    slurm.ask("scancel", "--batch", "--signal=USR1", number)
    said = slurm.ended(number)
    assert says in said
    assert (time.monotonic() - began > 4) is late


def test_without_b_the_batch_shell_hears_nothing(slurm: SlurmCluster, script: Path) -> None:
    number = slurm.submit(write(script, "#SBATCH --time=5", "trap 'echo answered' USR1", "sleep 2 & wait; echo ended"))
    assert slurm.settled(number)["JobState"] == "RUNNING"
    time.sleep(0.5)
    try:
        slurm.ask("scancel", "--signal=USR1", number)
    except SlurmError as nobody:
        assert "Invalid job id" in str(nobody) or "terminated" in str(nobody) or "signal" in str(nobody).lower()
    assert slurm.ended(number).split() == ["ended"]


RECIPES = (ROOT / "docs" / "slurm.md").read_text(encoding="utf-8")
# Any machine without eight H100 fails the one, any with room and a quiet log passes the other.
FAILS, PASSES, UNKNOWN = "gpu-count-complete", "disk-has-room", "containerd-paths"
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: here, version: "1.33"}
    pools:
      h100: {gpu: h100, distribution: kubeadm, gpusPerNode: 8, provision: false}
"""


def recipe(name: str, folder: Path, rule: str) -> Path:
    """As the page has it, but for where the fleet is and what is asked."""
    found = re.search(rf"```bash {name}\n(.*?)```", RECIPES, re.DOTALL)
    assert found, name
    here = found[1].replace("/etc/nodeworthy", str(folder)).replace("/opt/nodeworthy/bin", str(ROOT / ".venv" / "bin"))
    text = re.sub(r"(?m)^rules=.*$", f"rules=(--rule {rule})", here)
    (folder / "Pulumi.cluster.yaml").write_text(FLEET, encoding="utf-8")
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def ask(slurm: SlurmCluster, script: Path) -> int:
    """As slurmd starts it: with nothing of anybody's environment, and no PATH."""
    env = {**slurm.environment, "SLURMD_NODENAME": "n1"}
    return subprocess.run(["/bin/bash", str(script)], env=env, timeout=300, check=False).returncode


def state(slurm: SlurmCluster) -> tuple[str, str]:
    told = slurm.ask("scontrol", "show", "node", "n1")
    reason = re.search(r"Reason=(.*?)(?: \[|$)", told, re.MULTILINE)
    return "DRAIN" if re.search(r"State=\S*DRAIN", told) else "", reason[1] if reason else ""


def test_a_health_check_drains_and_lets_go(slurm: SlurmCluster, tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []
    for rule in (FAILS, UNKNOWN, PASSES):
        ask(slurm, recipe("nodeworthy-health", tmp_path, rule))
        asked.append(state(slurm))
    drained = ("DRAIN", f"nodeworthy: {FAILS}")
    assert asked == [drained, drained, ("", "")]


@pytest.mark.night
def test_a_health_check_takes_back_no_drain_of_others(slurm: SlurmCluster, tmp_path: Path) -> None:
    slurm.ask("scontrol", "update", "NodeName=n1", "State=DRAIN", "Reason=a fan is loud")
    try:
        for rule in (PASSES, FAILS):
            ask(slurm, recipe("nodeworthy-health", tmp_path, rule))
            assert state(slurm) == ("DRAIN", "a fan is loud")
    finally:
        slurm.ask("scontrol", "update", "NodeName=n1", "State=RESUME")


@pytest.mark.night
def test_a_prolog_fails_for_what_was_seen_alone(slurm: SlurmCluster, tmp_path: Path) -> None:
    codes = [ask(slurm, recipe("nodeworthy-prolog", tmp_path, rule)) for rule in (PASSES, UNKNOWN, FAILS)]
    assert codes == [0, 0, 1]
