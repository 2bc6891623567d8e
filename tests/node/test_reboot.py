"""`--reboot`: asked for twice, waited for by the boot's own number, and what is new is marked."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node.backends import Replay
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.scene import Missing
from tests.run import run, run_json

from .recordings import INCIDENT, MENDED

ABOUT = ("--rule", "containerd-paths", "--show-passed")
# Stands for ssh and the host behind it, whose boot is a file.
SSH = """\
#!/bin/sh
cd FOLDER
for last; do :; done
case $last in
*random/boot_id*) [ ! -e down ] || { rm down; echo 'ssh: connect to host h1 port 22: Connection refused' >&2; exit 255; }; cat boot ;;
*systemctl\\ reboot*) echo reboot >>asked; . ./reboot ;;
esac
"""
OBEYS = "echo second >boot; touch down; echo 'Connection to h1 closed by remote host.' >&2; exit 255"


class Host:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.says: dict[str, Recording] = {"first": load(MENDED), "second": load(INCIDENT)}
        (folder / "boot").write_text("first\n")
        self.obeys(OBEYS)

    def obeys(self, script: str) -> None:
        (self.folder / "reboot").write_text(script)

    def observe(self, host: Any) -> Recording:
        if isinstance(host.backend, Replay):
            return host.backend.recording()
        boot = (self.folder / "boot").read_text().strip()
        return replace(self.says[boot], host=host.backend.get_pytest_id())

    @property
    def reboots(self) -> int:
        asked = self.folder / "asked"
        return len(asked.read_text().splitlines()) if asked.exists() else 0


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    program = tmp_path / "ssh"
    program.write_text(SSH.replace("FOLDER", str(tmp_path)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("nodeworthy.collect.node.waiting.EVERY_SECONDS", 0.02)
    there = Host(tmp_path)
    monkeypatch.setattr("nodeworthy.collect.node.asked.observe", there.observe)
    monkeypatch.setattr("nodeworthy.collect.node.rebooting.SECONDS", 5.0)
    monkeypatch.setattr("nodeworthy.collect.node.waiting.boot", lambda *_: Missing("nobody asked"))
    return there


def told(found: list[dict[str, Any]]) -> list[str]:
    return [each["says"] for each in found[0]["related"]]


def test_what_only_the_second_look_finds_is_marked(host: Host) -> None:
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", *ABOUT)
    assert (ran.code, host.reboots) == (1, 1)
    assert [each["verdict"] for each in ran.findings] == ["fail"]
    assert told(ran.findings)[-1] == "only after the reboot: before it, this was not found"
    assert "new after the reboot: ssh://h1: fail containerd-paths: the runtime nvidia" in ran.err


def test_what_was_there_before_is_not_new(host: Host) -> None:
    host.says["first"] = host.says["second"]
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", *ABOUT)
    assert ran.code == 1
    assert "only after the reboot" not in ran.out
    assert "after the reboot it is as it was before" in ran.err


def test_what_is_gone_is_told(host: Host) -> None:
    host.says = {"first": host.says["second"], "second": host.says["first"]}
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", *ABOUT)
    assert ran.code == 0
    assert "gone with it: ssh://h1: fail containerd-paths: the runtime nvidia" in ran.err


def test_the_same_boot_is_no_reboot(host: Host) -> None:
    host.obeys("exit 0")
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", "--wait", "0.2", *ABOUT)
    assert ran.code == 3
    assert "it has not been rebooted yet" in ran.findings[0]["message"]


def test_one_that_does_not_come_back(host: Host) -> None:
    host.obeys("rm boot; exit 0")
    host.says[""] = host.says["first"]
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", "--wait", "0.2", *ABOUT)
    assert ran.code == 3
    assert "it has not come back from its reboot" in ran.findings[0]["message"]


def test_one_that_refuses_is_told_at_once(host: Host) -> None:
    host.obeys("echo 'sudo: a password is required' >&2; exit 1")
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", "--wait", "0.2", *ABOUT)
    assert ran.code == 3
    assert "it was not rebooted: sudo: a password is required" in ran.findings[0]["message"]


def test_one_that_was_not_reached_is_not_rebooted(host: Host) -> None:
    host.says["first"] = Recording("ssh://h1", unreached="Permission denied (publickey).")
    ran = run_json("node", "ssh://h1", "--reboot", "--yes", "--wait", "0.1", *ABOUT)
    assert (ran.code, host.reboots) == (3, 0)


def test_nobody_reboots_by_default_or_unasked(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    run("node", "ssh://h1", *ABOUT)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    ran = run("node", "ssh://h1", "--reboot", *ABOUT)
    assert (ran.code, host.reboots) == (2, 0)
    assert "there is no terminal: say --yes" in ran.err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "reboots"), [("y\n", 1), ("yes\n", 1), ("n\n", 0), ("\n", 0), ("", 0)])
def test_in_a_terminal_it_asks(host: Host, monkeypatch: pytest.MonkeyPatch, answer: str, reboots: int) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    ran = run("node", "ssh://h1", "--reboot", *ABOUT)
    assert host.reboots == reboots
    assert "to be rebooted: ssh://h1" in ran.err
    assert ran.code == (1 if reboots else 3)


def test_both_looks_are_recorded(host: Host, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    run("node", "ssh://h1", "--reboot", "--yes", "--record", str(kept), *ABOUT)
    assert run("node", f"replay:{kept}", *ABOUT).code == 1
    assert run("node", f"replay:{kept}/before-reboot", *ABOUT).code == 0


@pytest.mark.parametrize(
    ("specs", "why"),
    [
        (["local://"], "--reboot is for ssh:// and nsenter://"),
        (["node://gpu-1"], "--reboot is for"),
        (["nsenter://17"], "name a file that holds it"),
        (["ssh://root@h1", "ssh://h1"], "ssh://h1 is named twice"),
    ],
)
def test_what_can_not_be_rebooted(host: Host, specs: list[str], why: str) -> None:
    ran = run("node", *specs, "--reboot", "--yes")
    assert (ran.code, host.reboots) == (2, 0)
    assert why in ran.err
