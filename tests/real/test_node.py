"""The node moment on real processes: two containerds of different versions, a kubelet that names one, and ssh."""

from __future__ import annotations

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.run import run_json

from .containerd import Containerd
from .daemon import PATIENCE, scratch
from .fake_kubelet import FakeKubelet
from .sshd import Sshd, counting_ssh
from .tools import Tools

ROOT = Path(__file__).parents[2]

NVIDIA = """\
version = 2
[plugins."{plugin}".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  [plugins."{plugin}".containerd.runtimes.nvidia.options]
    BinaryName = "/bin/true"
"""


# The machine that runs these tests is no node: what the other rules say of it is not asked here.
ABOUT = ("--rule", "containerd-paths", "--rule", "toolkit-reaches-containerd")


class Pair:
    """Two containerds; kubelet uses the first. Each reads the drop-ins of a folder of its own."""

    def __init__(self, tools: Tools, home: Path) -> None:
        self.home = home
        for name in ("used", "unused"):
            (home / name).mkdir()
        self.used = Containerd(tools, "containerd-2.3", imports=[home / "used" / "*.toml"])
        self.unused = Containerd(tools, "containerd-2.2", imports=[home / "unused" / "*.toml"])

    def give_runtime(self, name: str) -> None:
        """As if it had been there before containerd was started."""
        drop_in = self.home / name / "99-nvidia.toml"
        drop_in.write_text(NVIDIA.format(plugin="io.containerd.grpc.v1.cri"))
        os.utime(drop_in, (0, 0))

    def take_runtimes(self) -> None:
        for each in self.home.glob("*/99-nvidia.toml"):
            each.unlink()


@pytest.fixture(scope="module")
def running(tools: Tools) -> Iterator[Pair]:
    with scratch("node") as home:
        pair = Pair(tools, Path(home))
        with pair.used, pair.unused:
            yield pair


@pytest.fixture
def pair(running: Pair, tmp_path: Path) -> Iterator[Pair]:
    endpoint = f"--container-runtime-endpoint=unix://{running.used.socket}"
    with FakeKubelet(tmp_path, "--config=/var/lib/kubelet/config.yaml", endpoint):
        yield running
    running.take_runtimes()


def write_fleet(folder: Path) -> Path:
    fleet = folder / "Pulumi.here.yaml"
    fleet.write_text(
        "config:\n  nodeworthy:fleet:\n    cluster: {name: here}\n    pools:\n"
        "      gpu: {gpu: h100, gpusPerNode: 8, distribution: kubeadm}\n"
    )
    return fleet


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {found["rule"]: found["verdict"] for found in report["findings"]}


def test_a_runtime_that_only_the_unused_containerd_has(pair: Pair) -> None:
    pair.give_runtime("unused")
    ran = run_json("node", "local://", "--show-passed", *ABOUT)
    assert ran.code == 1, ran.out
    assert verdicts(ran.report) == {"containerd-paths": "fail", "toolkit-reaches-containerd": "skip"}
    found = next(each for each in ran.findings if each["verdict"] == "fail")
    for where, containerd in (("is", pair.unused), ("should", pair.used)):
        assert f"(pid {containerd.pid}, socket {containerd.socket}, config {containerd.config})" in found[where]
    assert found["where"]["host"] == f"local://{platform.node()}"
    assert str(pair.used.socket) in found["remedy"]
    said = " ".join(each["says"] for each in found["related"])
    assert {version for version in ("v2.2.", "v2.3.") if f"is containerd {version}" in said} == {"v2.2.", "v2.3."}


def test_a_runtime_that_kubelets_containerd_has(pair: Pair) -> None:
    pair.give_runtime("used")
    ran = run_json("node", "local://", "--show-passed", *ABOUT)
    assert ran.code == 0, ran.out
    assert verdicts(ran.report) == {"containerd-paths": "pass", "toolkit-reaches-containerd": "pass"}


def test_a_file_that_the_running_containerd_has_not_read_proves_nothing(pair: Pair) -> None:
    pair.give_runtime("used")
    drop_in = pair.home / "used" / "99-nvidia.toml"
    os.utime(drop_in, (time.time() + 60, time.time() + 60))
    ran = run_json("node", "local://", *ABOUT)
    assert ran.code == 3, ran.out
    assert {each["verdict"] for each in ran.findings} == {"unknown"}
    assert f"{drop_in} was changed after containerd (pid {pair.used.pid}) was started" in ran.findings[0]["message"]


def test_over_ssh_it_is_the_same_and_takes_one_round_trip(pair: Pair, tools: Tools, tmp_path: Path) -> None:
    pair.give_runtime("unused")
    home = tmp_path / "sshd"
    home.mkdir()
    log, env = counting_ssh(tmp_path)
    with Sshd(tools, home, more="LogLevel VERBOSE") as sshd:
        ran = nodeworthy(
            "ssh://node", "--ssh-config", str(sshd.config), "--record", str(tmp_path / "kept"), *ABOUT, env=env
        )
        assert (sshd.connections, sshd.sessions) == (1, 1)
    report = json.loads(ran.stdout)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert verdicts(report) == {"containerd-paths": "fail"}
    assert report["findings"][0]["where"]["host"] == "ssh://node"
    assert len(log.read_text().splitlines()) <= 2
    again = run_json("node", f"replay:{tmp_path / 'kept'}", *ABOUT)
    assert again.report == report


def test_the_rules_and_a_users_own_tests_share_one_connection(pair: Pair, tools: Tools, tmp_path: Path) -> None:
    pair.give_runtime("used")
    home = tmp_path / "sshd"
    home.mkdir()
    shutil.copytree(ROOT / "nodes", tmp_path / "nodes", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "nodes" / "test_ours.py").write_text(
        "def test_one(host):\n    assert host.user().name == 'root'\n\n\n"
        "def test_two(host):\n    assert host.file('/etc/passwd').exists\n"
    )
    with Sshd(tools, home, more="LogLevel VERBOSE") as sshd:
        command = [sys.executable, "-m", "pytest", "-q", "nodes", "--hosts=ssh://node", f"--ssh-config={sshd.config}"]
        command += ["-k", "containerd or toolkit or test_ours"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert "5 passed" in ran.stdout
        assert sshd.connections == 1
        assert sshd.sessions > 2
        _wait_for(lambda: not _ssh_of(sshd.config))


def test_a_user_without_root_is_told_what_was_not_seen(pair: Pair, tools: Tools, tmp_path: Path) -> None:
    pair.give_runtime("used")
    home = tmp_path / "sshd"
    home.mkdir()
    fleet = write_fleet(tmp_path)
    as_nobody = 'ForceCommand setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$SSH_ORIGINAL_COMMAND"'
    with Sshd(tools, home, more=as_nobody) as sshd:
        ran = run_json(
            "node", "ssh://node", "--ssh-config", str(sshd.config), "--fleet", str(fleet), "--pool", "gpu", *ABOUT
        )
    assert ran.code == 3, ran.out + ran.err
    assert {each["verdict"] for each in ran.findings} == {"unknown"}
    assert "who listens on kubelet's socket" in ran.findings[0]["message"]


def test_a_host_that_hangs_costs_its_deadline_and_no_more(tools: Tools, tmp_path: Path) -> None:
    with Sshd(tools, tmp_path, more="ForceCommand sleep 600") as sshd:
        started = time.monotonic()
        ran = run_json("node", "ssh://node", "--ssh-config", str(sshd.config), "--deadline", "2s")
        took = time.monotonic() - started
    assert ran.code == 3
    assert [(each["rule"], each["verdict"]) for each in ran.findings] == [("looked-at", "error")]
    assert "no answer within 2 s" in ran.findings[0]["message"]
    assert took < 60


def test_a_server_that_is_stopped_costs_its_deadline(tools: Tools, tmp_path: Path) -> None:
    with Sshd(tools, tmp_path) as sshd:
        os.kill(sshd.daemon.pid, signal.SIGSTOP)
        started = time.monotonic()
        ran = run_json("node", "ssh://node", "local://", "--ssh-config", str(sshd.config), "--deadline", "2s", *ABOUT)
        took = time.monotonic() - started
    assert ran.code == 3
    assert ("looked-at", "error", "ssh://node") in {
        (each["rule"], each["verdict"], each["where"]["host"]) for each in ran.findings
    }
    assert took < 60


def test_ctrl_c_ends_it_at_once_and_leaves_no_ssh(tools: Tools, tmp_path: Path) -> None:
    log, env = counting_ssh(tmp_path)
    home = tmp_path / "sshd"
    home.mkdir()
    with Sshd(tools, home, more="ForceCommand sleep 600") as sshd:
        command = [sys.executable, "-m", "nodeworthy", "node", "ssh://node", "--ssh-config", str(sshd.config)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        _wait_for(lambda: sshd.connections == 1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, err
        assert b"Traceback" not in err
        _wait_for(lambda: not _ssh_of(sshd.config))
    assert log.read_text()


def _ssh_of(config: Path) -> list[str]:
    lines = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in lines if str(config) in line and " ssh" in line]


def _wait_for(true: Any) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def nodeworthy(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nodeworthy", "node", *arguments, "--format", "json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env)
