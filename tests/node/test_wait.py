"""`--wait`: hosts are looked at again until their boots have ended, well or not, or the time is over."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.collect.node.waiting import why_not_ready
from nodeworthy.commands.node.progress import Sparse
from tests.run import run, run_json

from .recordings import INCIDENT, MENDED, told
from .test_suite import suite

ABOUT = ("--rule", "containerd-paths", "--rule", "boot-finished")


def status(stage: str | None, *errors: str) -> str:
    return json.dumps({"v1": {"stage": stage, "init": {"errors": list(errors)}}})


BOOTING = told(boot="", cloud=status("modules-final"), system="starting")


@pytest.mark.parametrize(
    ("host", "why"),
    [
        (BOOTING, "cloud-init is in modules-final"),
        (told(boot="finished", cloud=status(None), system="starting"), "the system is starting"),
        (told(boot="", cloud=status(None), system="stopping"), "the system is stopping"),
        (told(boot="", cloud=status(None)), "cloud-init has not ended"),
        (Recording("ssh://h1", unreached="connect to host h1 port 22: Connection refused"), "connect to host h1"),
        (told(boot="finished", cloud=status(None), system="running"), None),
        (told(boot="finished", cloud=status(None), system="degraded"), None),
        (told(boot="none", cloud=""), None),
        (told(boot="", cloud=status("modules-final", "('scripts_user', ProcessExecutionError())")), None),
        (Recording("ssh://h1", unreached="Host key verification failed."), None),
    ],
)
def test_what_is_waited_for(host: Recording, why: str | None) -> None:
    found = why_not_ready(host)
    assert found is None if why is None else found is not None and found.startswith(why)


def test_a_cloud_init_that_is_switched_off_is_not_waited_for(tmp_path: Path) -> None:
    """As installers of servers leave it: its folders are there, and it never runs."""
    own = script.text().partition("\nboot() {")[2].partition("\n}\n")[0]
    shell = f"boot() {{{own}\n}}\nboot".replace("/run/", f"{tmp_path}/run/").replace("/var/", f"{tmp_path}/var/")
    (tmp_path / "run" / "cloud-init").mkdir(parents=True)
    assert subprocess.run(["sh", "-c", shell], capture_output=True, check=True, timeout=60).stdout == b""
    (tmp_path / "run" / "cloud-init" / "disabled").touch()
    assert subprocess.run(["sh", "-c", shell], capture_output=True, check=True, timeout=60).stdout == b"none\n"


class Answers:
    """Each host says these, one after the other, and then the last again and again."""

    def __init__(self, *answers: Recording) -> None:
        self.answers = answers
        self.looks = 0

    def __call__(self, host: object) -> Recording:
        self.looks += 1
        return self.answers[min(self.looks, len(self.answers)) - 1]


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr("nodeworthy.collect.node.waiting.EVERY_SECONDS", 0.02)
    return monkeypatch


def says(looks: pytest.MonkeyPatch, *answers: Recording) -> Answers:
    host = Answers(*answers)
    looks.setattr("nodeworthy.collect.node.asked.observe", host)
    return host


UNREACHED = Recording("ssh://gpu-01", unreached="connect to host gpu-01 port 22: Connection refused")


def test_a_node_is_judged_when_it_has_booted(looks: pytest.MonkeyPatch) -> None:
    host = says(looks, UNREACHED, BOOTING, BOOTING, load(MENDED))
    ran = run_json("node", "ssh://gpu-01", "--wait", "1m", *ABOUT, "--show-passed")
    assert host.looks == 4
    assert {each["rule"]: each["verdict"] for each in ran.findings}["containerd-paths"] == "pass"


def test_without_it_a_node_is_looked_at_once(looks: pytest.MonkeyPatch) -> None:
    host = says(looks, UNREACHED, load(MENDED))
    ran = run_json("node", "ssh://gpu-01", *ABOUT)
    assert (host.looks, ran.code) == (1, 3)


def test_when_the_time_is_over_it_is_judged_as_it_is(looks: pytest.MonkeyPatch) -> None:
    host = says(looks, BOOTING)
    ran = run_json("node", "ssh://gpu-01", "--wait", "0.5", "--rule", "boot-finished")
    assert host.looks > 2
    assert ran.code == 3
    assert [(each["verdict"], each["message"]) for each in ran.findings] == [
        ("unknown", "the boot has not ended yet: cloud-init is in modules-final")
    ]


def test_a_host_that_never_answers_is_an_error_as_ever(looks: pytest.MonkeyPatch) -> None:
    says(looks, UNREACHED)
    ran = run_json("node", "ssh://gpu-01", "--wait", "0.1")
    assert ran.code == 3
    assert [(each["rule"], each["verdict"]) for each in ran.findings] == [("looked-at", "error")]


def test_a_boot_that_failed_is_judged_at_once(looks: pytest.MonkeyPatch) -> None:
    host = says(looks, told(boot="", cloud=status("modules-final", "it broke"), system="starting"))
    ran = run_json("node", "ssh://gpu-01", "--wait", "1m", "--rule", "boot-finished")
    assert (host.looks, ran.code) == (1, 1)


def test_what_was_recorded_changes_no_more(looks: pytest.MonkeyPatch) -> None:
    host = says(looks, BOOTING)
    run_json("node", f"replay:{INCIDENT}", "--wait", "1m", "--rule", "boot-finished")
    assert host.looks == 1


def test_only_those_that_are_not_ready_are_asked_again(looks: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def observe(host: object) -> Recording:
        name = host.backend.get_hostname()  # type: ignore[attr-defined]
        asked.append(name)
        return UNREACHED if name == "slow" and asked.count("slow") < 3 else load(MENDED)

    looks.setattr("nodeworthy.collect.node.asked.observe", observe)
    run("node", "ssh://ready", "ssh://slow", "--wait", "1m", *ABOUT)
    assert (asked.count("ready"), asked.count("slow")) == (1, 3)


def test_it_is_told_on_stderr_and_never_raw(looks: pytest.MonkeyPatch) -> None:
    says(looks, Recording("ssh://gpu-01", unreached="\x1b]0;owned\x07refused"), load(MENDED))
    ran = run_json("node", "ssh://gpu-01", "--wait", "1m", *ABOUT)
    assert "0 of 1 hosts have booted; ssh://gpu-01: " in ran.err
    assert "1 of 1 hosts have booted" in ran.err
    assert "\x1b" not in ran.err


def test_quiet_is_quiet(looks: pytest.MonkeyPatch) -> None:
    says(looks, UNREACHED, load(MENDED))
    assert run_json("node", "ssh://gpu-01", "--wait", "1m", "--quiet", *ABOUT).err == ""


def test_a_log_has_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    sparse = Sparse()
    names = [f"ssh://h{number}" for number in range(50)]
    sparse.begin(names)
    for each in names:
        sparse.tick(60)
        sparse.waits(each, "the system is starting", 60)
    for each in names:
        sparse.asked(AskedHost(each, None), each)
    assert told_lines(capsys) == [
        "0 of 50 hosts have booted; ssh://h0: the system is starting",
        "50 of 50 hosts have booted",
    ]


def test_a_log_ends_with_who_has_not_booted(capsys: pytest.CaptureFixture[str]) -> None:
    sparse = Sparse()
    sparse.begin(["ssh://a", "ssh://b"])
    sparse.tick(1)
    sparse.waits("ssh://a", "the system is starting", 1)
    sparse.waits("ssh://a", "cloud-init is in final", 0)
    sparse.asked(AskedHost("ssh://a", None), "ssh://a")
    sparse.asked(AskedHost("ssh://b", None), "ssh://b")
    assert told_lines(capsys)[-1] == "1 of 2 hosts have booted; ssh://a: cloud-init is in final"


def told_lines(capsys: pytest.CaptureFixture[str]) -> Sequence[str]:
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("time", ["soon", "0", "-1s"])
def test_usage(time: str) -> None:
    assert run("node", f"replay:{INCIDENT}", f"--wait={time}").code == 2


def test_the_suite_waits_too(tmp_path: Path) -> None:
    """A recording is not waited for, so that only the option itself is tried here."""
    assert suite(tmp_path, f"--hosts=replay:{MENDED}", "--wait=1m", "-k", "containerd-paths").returncode == 0
    refused = suite(tmp_path, f"--hosts=replay:{MENDED}", "--wait=soon")
    assert "'soon' is no time" in refused.stdout + refused.stderr
