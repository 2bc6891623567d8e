"""How a host is asked: the script on every shell, the frames of its answer, deadlines, and many hosts at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from nodeworthy.collect.node import collector, deadline, script, specs
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.backends import Ssh, register
from nodeworthy.collect.node.connections import Connections
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.waiting import Nobody

SHELLS = [["dash"], ["bash", "--posix"], ["busybox", "sh"]]


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_the_script_says_the_same_in_every_shell(shell: list[str]) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"there is no {shell[0]}")
    command = [*shell, "-c", script.text(), "nodeworthy", "@@n", "default=/x", "/run/x.sock", "containerd"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    parts = script.parts("@@n", ran.stdout, ran.stderr)
    assert parts[-1].name == "done"
    by_name = {each.name: each for each in parts}
    assert by_name["who"].stdout.isdecimal()
    assert by_name["boot"].stdout in ("none", "finished", "")
    assert by_name["listening"].code == by_name["resolved"].code == by_name["gpus"].code == 0
    assert all(each.seconds >= 0 for each in parts)


def test_the_command_survives_every_quoting() -> None:
    ran = subprocess.run(["sh", "-c", script.command("@@n")], capture_output=True, text=True, timeout=30, check=True)
    assert script.parts("@@n", ran.stdout, ran.stderr)[-1].name == "done"


def test_no_content_is_mistaken_for_a_frame() -> None:
    stdout = (
        "motd\n@@a begin 1.00 file /x\nno newline at the end\n@@a end 1.50 0\n"
        "@@a begin 2.00 file /y\n@@b begin 2.00 z\n@@b end 3.00 0\n\n\n@@a end 2.25 3\n@@a begin 3.00 torn\nhal"
    )
    stderr = "Warning: banner\n@@a begin 2.00 file /y\ncat: /y: Permission denied\n\n@@a end 2.25 3\n"
    one, two = script.parts("@@a", stdout, stderr)
    assert (one.name, one.code, one.seconds, one.stdout, one.stderr) == (
        "file /x", 0, 0.5, "no newline at the end", "",
    )  # fmt: skip
    assert two.stdout == "@@b begin 2.00 z\n@@b end 3.00 0\n"
    assert two.why == "cat: /y: Permission denied"
    assert script.last_begun("@@a", stdout) == "torn"


def test_what_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    with pytest.raises(deadline.TooLate) as late:
        deadline.run(f"echo begun; (sleep 2; touch {alive}) & sleep 600".encode(), 1)
    assert late.value.stdout == b"begun\n"
    time.sleep(1.5)
    assert not alive.exists()


def test_ctrl_c_kills_what_runs_and_what_would_start() -> None:
    running = threading.Thread(target=lambda: results.append(deadline.run(b"sleep 60", 30).code))
    results: list[int] = []
    running.start()
    time.sleep(0.2)
    deadline.RUNNING.kill_all()
    running.join(5)
    assert results == [-9]
    assert deadline.run(b"sleep 60", 30).code == -9
    deadline.RUNNING.stopping = False


class Told(Nobody):
    """Which hosts were to be asked, and which have answered."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.done: list[str] = []

    def begin(self, names: Sequence[str]) -> None:
        self.begun += names

    def asked(self, asked: AskedHost, name: str) -> None:
        self.done.append(name)


def test_hosts_are_asked_at_the_same_time_and_within_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once: list[int] = []
    now, lock = 0, threading.Lock()

    def observe(host: object) -> Recording:
        nonlocal now
        with lock:
            now += 1
            at_once.append(now)
        time.sleep(0.05)
        with lock:
            now -= 1
        return Recording(str(host))

    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", observe)
    hosts = specs.parse_all(f"ssh://h{number}" for number in range(12))
    told = Told()
    asked = collector.ask_all(hosts, collector.Asking(5, workers=4), told)
    assert len(asked) == 12
    assert max(at_once) == 4
    assert told.begun == [each.text for each in hosts]
    assert sorted(told.done) == sorted(told.begun)


def control_path(spec: str) -> Path:
    (host,) = collector.hosts_of(specs.parse_all([spec]), collector.Asking(5))
    assert isinstance(host.backend, Ssh)
    return Path(host.backend.controlpath or "")


def test_one_connection_a_host_whoever_asks() -> None:
    connections = Connections()
    register(connections)
    one, again, other = (control_path(each) for each in ("ssh://root@h1:22", "ssh://root@h1:22", "ssh://root@h2"))
    assert one == again != other
    folder = one.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    connections.close()
    assert not folder.exists()


def test_a_password_in_a_spec_is_not_shown() -> None:
    register(Connections())
    (host,) = collector.hosts_of(specs.parse_all(["ssh://root:hunter22@h1:2222"]), collector.Asking(5))
    assert host.backend.get_pytest_id() == "ssh://h1:2222"


@pytest.mark.parametrize(
    ("program", "spec", "before"),
    [
        ("docker", "docker://root@kind-worker", "exec -u root kind-worker /bin/sh -c "),
        (
            "kubectl",
            "kubectl://probe?namespace=ops&container=shell",
            "--namespace=ops --container=shell exec probe -- /bin/sh -c ",
        ),
    ],
)
def test_in_a_container(program: str, spec: str, before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the client, which runs here what it is told to run there: what is asked and answered is real."""
    client = tmp_path / program
    client.write_text(
        f'#!/bin/sh\nprintf "%s" "$*" >"{tmp_path}/asked"\nwhile [ "$1" != /bin/sh ]; do shift; done\nexec "$@"\n'
    )
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (asked,) = collector.ask_all(specs.parse_all([spec]), collector.Asking(20))
    assert asked.recording is not None
    assert asked.recording.unreached is None
    assert asked.recording.parts[-1].name == "done"
    assert (tmp_path / "asked").read_text().startswith(before)
    assert asked.name == spec.replace("root@", "").partition("?")[0]


def test_a_container_that_is_not_there_is_told_in_its_clients_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = tmp_path / "docker"
    client.write_text("#!/bin/sh\necho 'Error response from daemon: No such container: gone' >&2\nexit 1\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (asked,) = collector.ask_all(specs.parse_all(["docker://gone"]), collector.Asking(20))
    assert asked.recording is not None
    assert asked.recording.unreached == "Error response from daemon: No such container: gone"


def save(path: Path, text: str) -> None:
    path.write_text(text)


def test_two_recordings_of_one_name_are_both_kept(tmp_path: Path) -> None:
    hosts = ("local://gpu-01", "docker://gpu-01", "local://gpu-01")
    asked = [AskedHost(each, Recording(each)) for each in hosts]
    collector.record(asked, tmp_path / "kept", save)
    assert sorted(each.name for each in (tmp_path / "kept").iterdir()) == [
        "docker-gpu-01.json",
        "gpu-01-2.json",
        "gpu-01.json",
    ]
