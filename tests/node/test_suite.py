"""The suite as pytest runs it: a test a host and rule, never green for nothing, and inert for everybody else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from nodeworthy.collect.collected import moments_of
from nodeworthy.rule import Moment
from nodeworthy.rules import catalogue
from tests.case_files import whole

from .recordings import INCIDENT, MENDED

ROOT = Path(__file__).parents[2]
# A host has a test of each of them.
OF_A_NODE = {each.id for each in catalogue() if not each.about_ourselves and Moment.NODE in moments_of(each)}
TESTS = {*OF_A_NODE, "looked-at"}


def pytest_of(folder: Path, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder), "-rA", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=folder)


def suite(folder: Path, *arguments: str, ours: str = "") -> subprocess.CompletedProcess[str]:
    """A run of `nodes/` as it is delivered, with a test of a user's own beside."""
    if not (folder / "nodes").exists():
        shutil.copytree(ROOT / "nodes", folder / "nodes", ignore=shutil.ignore_patterns("__pycache__"))
    if ours:
        (folder / "nodes" / "test_ours.py").write_text(ours)
    return pytest_of(folder, "nodes", *arguments)


def outcomes(ran: subprocess.CompletedProcess[str]) -> dict[str, str]:
    return {
        name: word
        for word, name in re.findall(r"^(PASSED|FAILED|ERROR) \S+::test_\w+\[(.+?)\]", ran.stdout, re.MULTILINE)
    }


def about_containerd(found: dict[str, str]) -> dict[str, str]:
    return {name: word for name, word in found.items() if name.endswith(("containerd-paths", "reaches-containerd"))}


def test_a_test_for_each_host_and_rule(tmp_path: Path) -> None:
    mended = tmp_path / "mended.json"
    mended.write_text(MENDED.read_text().replace("ssh://gpu-01", "ssh://gpu-02"))
    ran = suite(tmp_path, f"--hosts=replay:{INCIDENT},replay:{mended}")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert about_containerd(outcomes(ran)) == {
        "ssh://gpu-01-containerd-paths": "FAILED",
        "ssh://gpu-02-containerd-paths": "PASSED",
        "ssh://gpu-02-toolkit-reaches-containerd": "PASSED",
    }
    assert "the runtime nvidia is in a containerd that kubelet does not use" in ran.stdout
    assert "containerd-paths names it" in ran.stdout, "a skip says why"
    assert f"1 failed, 10 passed, {2 * len(TESTS) - 11} skipped" in ran.stdout
    assert {outcomes(ran)[f"ssh://gpu-0{n}-looked-at"] for n in (1, 2)} == {"PASSED"}


def test_an_unknown_and_an_unreached_host_fail(tmp_path: Path) -> None:
    dead = whole("containerd-paths/unknown-node-containerd-is-dead") / "gpu-01.json"
    ran = suite(tmp_path, f"--hosts=replay:{dead},ssh://127.0.0.1:1")
    assert ran.returncode == 1
    failed = {name for name, word in outcomes(ran).items() if word == "FAILED"}
    assert {each for each in failed if each.startswith("ssh://gpu-01")} == {
        "ssh://gpu-01-containerd-config-read",
        "ssh://gpu-01-containerd-paths",
        "ssh://gpu-01-toolkit-reaches-containerd",
    }
    unreached = {each.removeprefix("ssh://127.0.0.1:1-") for each in failed if each.startswith("ssh://127.0.0.1:1")}
    assert unreached == TESTS
    assert {"containerd-paths", "toolkit-reaches-containerd", "profiling-before-driver"} < TESTS


def test_no_host_is_no_success(tmp_path: Path) -> None:
    ran = suite(tmp_path)
    assert ran.returncode == 1
    assert "no host was looked at" in ran.stdout


def test_hosts_of_which_nothing_could_be_judged_are_no_success(tmp_path: Path) -> None:
    """One without GPUs, the toolkit and a kubelet."""
    data, empty = json.loads(MENDED.read_text()), tmp_path / "empty.json"
    for each in data["parts"]:
        if re.fullmatch(r"gpus|toolkit|process \d+ \w+", each["name"]):
            each["stdout"] = []
    empty.write_text(json.dumps(data))
    ran = suite(tmp_path, f"--hosts=replay:{empty}")
    assert ran.returncode == 1
    assert "nothing was evaluated on any host" in ran.stdout


def test_hosts_that_are_named_twice_are_all_looked_at(tmp_path: Path) -> None:
    """testinfra itself keeps the last."""
    shutil.copy(MENDED, tmp_path / "other.json")
    twice = (f"--hosts=replay:{MENDED}", "--hosts", f"replay:{tmp_path}/other.json", "-k", "containerd-paths")
    assert "2 passed" in suite(tmp_path, *twice).stdout


def test_what_it_can_not_use_is_one_sentence(tmp_path: Path) -> None:
    for arguments in (["--hosts=salt://i-1"], ["--hosts=local://", "--pool=x"]):
        ran = suite(tmp_path, *arguments)
        assert ran.returncode == 4
        assert len(ran.stderr.strip().splitlines()) == 1
        assert ran.stderr.startswith("ERROR: ")


def test_a_recording_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    ran = suite(tmp_path, "--hosts=replay:nowhere")
    assert ran.returncode == 4
    assert "there is no recording nowhere" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "pluggy" not in ran.stdout


def test_the_fleet_is_judged_by_too(tmp_path: Path) -> None:
    fleet = whole("containerd-paths/bad-node-fleet-without-base-dir") / "Pulumi.onprem.yaml"
    ran = suite(tmp_path, f"--hosts=replay:{MENDED}", f"--fleet={fleet}", f"--record={tmp_path / 'kept'}")
    assert outcomes(ran)["ssh://gpu-01-containerd-paths"] == "FAILED"
    assert "pool 'h200'" in ran.stdout
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["ssh-gpu-01.json"]


def test_a_users_own_tests_stand_beside_and_have_the_same_host(tmp_path: Path) -> None:
    ours = "def test_shell(host):\n    assert host.run('echo %s', 'one two').stdout == 'one two\\n'\n"
    ran = suite(tmp_path, "--hosts=local://", "-k", "shell", ours=ours)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert outcomes(ran) == {"local": "PASSED"}


def test_a_command_of_a_users_test_has_a_deadline(tmp_path: Path) -> None:
    ours = "def test_hangs(host):\n    host.run('sleep 60')\n"
    ran = suite(tmp_path, "--hosts=local://", "--deadline=1s", "-k", "hangs", "--durations=1", ours=ours)
    assert ran.returncode == 1
    assert "no answer within 1 s" in ran.stdout


def test_everybody_elses_pytest_is_left_alone(tmp_path: Path) -> None:
    """Installed, and not used: no option is taken, nothing is imported, testinfra's table is as it was."""
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    for name in ('--fleet', '--stack', '--pool', '--record', '--deadline'):\n"
        "        parser.addoption(name)\n"
    )
    (tmp_path / "test_theirs.py").write_text(
        "import sys\n\n\ndef test_theirs():\n"
        "    ours = {name for name in sys.modules if name.startswith('nodeworthy')}\n"
        "    assert 'nodeworthy.suite.plugin' in ours\n"
        "    assert ours <= {'nodeworthy', 'nodeworthy.suite', 'nodeworthy.suite.plugin', 'nodeworthy.suite.plugin',\n"
        "                    'nodeworthy.errors'}\n"
        "    import testinfra.backend\n"
        "    assert testinfra.backend.BACKENDS['ssh'] == 'testinfra.backend.ssh.SshBackend'\n"
    )
    ran = pytest_of(tmp_path, "--record=x")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_without_testinfra_it_says_what_to_install(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "nodes", tmp_path / "nodes")
    blocked = (
        "import sys, importlib.util as util, pytest\nfind = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'testinfra' else find(name, *rest)\n"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", blocked, "-p", "no:pytest11.testinfra", "nodes", "--hosts=local://"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert ran.returncode == 4
    assert "pip install 'nodeworthy[nodes]'" in ran.stderr
    assert "Traceback" not in ran.stderr
