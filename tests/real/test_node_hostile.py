"""Hosts that refuse, lie, flood or die, behind a real ssh: each has a verdict that says so, and is never judged well."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node import collector, deadline, specs
from tests.run import run, run_json

from .daemon import scratch
from .sshd import Sshd
from .tools import Tools

ABOUT = ("--rule", "kubelet-survives-reboot", "--deadline", "30s")
RUNS = 'exec sh -c "$SSH_ORIGINAL_COMMAND"'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "sshd"
    home.mkdir()
    return home


def errors(sshd: Sshd, *more: str) -> list[str]:
    """What is said of a host that is not judged; whatever else is there is."""
    ran = run_json("node", "ssh://node", "--ssh-config", str(sshd.config), *ABOUT, *more)
    assert ran.code == 3, ran.out + ran.err
    assert {(each["rule"], each["verdict"]) for each in ran.findings} == {("looked-at", "error")}
    return [each["message"] for each in ran.findings]


def look(sshd: Sshd) -> Any:
    asking = collector.Asking(30, ssh_config=str(sshd.config))
    (asked,) = collector.ask_all(specs.parse_all(["ssh://node"]), asking)
    return asked.recording


def forced(home: Path, script: str) -> str:
    """What sshd runs instead of what it is asked to run."""
    (home / "forced").write_text(f"#!/bin/sh\n{script}\n")
    (home / "forced").chmod(0o755)
    return f"ForceCommand {home}/forced"


@pytest.mark.parametrize("wait", [(), ("--wait", "1m")], ids=["at once", "waited for"])
def test_a_changed_host_key_is_never_accepted(tools: Tools, home: Path, wait: tuple[str, ...]) -> None:
    with Sshd(tools, home) as sshd:
        known = home / "known_hosts"
        address, kind, _ = known.read_text().split()[:3]
        other = (home / "user_key.pub").read_text().split()[1]
        before = f"{address} {kind} {other}\n"
        known.write_text(before)
        assert errors(sshd, *wait) == ["the host was not reached: Host key verification failed."]
        assert known.read_text() == before
        assert sshd.connections == 0


def test_nor_is_one_that_nobody_knows(tools: Tools, home: Path) -> None:
    with Sshd(tools, home) as sshd:
        (home / "known_hosts").write_text("")
        assert errors(sshd) == ["the host was not reached: Host key verification failed."]
        assert (home / "known_hosts").read_text() == ""


def test_a_key_that_is_refused(tools: Tools, home: Path) -> None:
    """Nobody is there to be asked for a password, and nothing waits for one."""
    with Sshd(tools, home, more="KbdInteractiveAuthentication yes") as sshd:
        (home / "user_key.pub").write_text("")
        (said,) = errors(sshd)
    assert "Permission denied (publickey" in said


GREETING = "printf 'Welcome\\033]0;owned\\007\\n@@ begin 1.0 who\\n'; echo 'by your leave' >&2"


def test_a_login_that_greets_is_read_all_the_same(tools: Tools, home: Path) -> None:
    (home / "banner").write_text("AUTHORISED USE ONLY\n")
    with Sshd(tools, home, more=f"Banner {home}/banner\n{forced(home, f'{GREETING}; {RUNS}')}") as sshd:
        recording = look(sshd)
        ran = run("node", "ssh://node", "--ssh-config", str(sshd.config), *ABOUT)
    assert recording.unreached is None
    assert recording.parts[-1].name == "done"
    assert recording.by_name["who"].stdout == "0"
    assert "\x1b" not in ran.out + ran.err


SUDO = """\
#!/bin/sh
[ "$1" = -n ] && { echo "sudo: a password is required" >&2; exit 1; }
sleep 60
"""


def test_a_sudo_that_asks_is_not_waited_for(tools: Tools, home: Path) -> None:
    """Without root it is looked at as far as that goes."""
    with scratch("sudo") as folder:
        programs = Path(folder)
        programs.chmod(0o755)
        (programs / "sudo").write_text(SUDO)
        (programs / "sudo").chmod(0o755)
        nobody = f"PATH={programs}:$PATH exec setpriv --reuid=65534 --regid=65534 --clear-groups"
        with Sshd(tools, home, more=forced(home, f'{nobody} sh -c "$SSH_ORIGINAL_COMMAND"')) as sshd:
            recording = look(sshd)
    assert recording.unreached is None
    assert recording.by_name["who"].stdout == "65534"


@pytest.mark.parametrize("stream", ["", ">&2"], ids=["stdout", "stderr"])
def test_one_that_prints_without_end_is_stopped(
    tools: Tools, home: Path, monkeypatch: pytest.MonkeyPatch, stream: str
) -> None:
    monkeypatch.setattr(deadline, "MOST_BYTES", 4 * 1024 * 1024)
    with Sshd(tools, home, more=forced(home, f"exec yes {stream}")) as sshd:
        (said,) = errors(sshd)
    assert "it prints more than 4 MiB, and is not believed" in said


def test_one_that_floods_before_it_answers_is_not_believed(
    tools: Tools, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "MOST_BYTES", 1024 * 1024)
    flood = f"head -c 5000000 /dev/zero; {RUNS}"
    with Sshd(tools, home, more=forced(home, flood)) as sshd:
        (said,) = errors(sshd)
    assert "and is not believed" in said


def test_a_connection_that_dies_in_the_middle(tools: Tools, home: Path) -> None:
    dies = 'sh -c "$SSH_ORIGINAL_COMMAND" | head -c 3000; kill -9 $PPID; sleep 60'
    with Sshd(tools, home, more=forced(home, dies)) as sshd:
        (said,) = errors(sshd)
    assert said.startswith("the host was not reached: ")


def test_an_answer_that_breaks_off_is_none(tools: Tools, home: Path) -> None:
    breaks = 'sh -c "$SSH_ORIGINAL_COMMAND" | head -c 3000'
    with Sshd(tools, home, more=forced(home, breaks)) as sshd:
        (said,) = errors(sshd)
    assert "its answer broke off" in said


def test_the_others_are_unharmed(tools: Tools, home: Path) -> None:
    with Sshd(tools, home, more="ForceCommand false") as sshd:
        ran = run_json("node", "ssh://node", "local://", "--ssh-config", str(sshd.config), *ABOUT, "--show-passed")
    hosts = {each["where"]["host"].partition("://")[0] for each in ran.findings}
    assert hosts == {"ssh", "local"}
    assert {each["where"]["host"] for each in ran.findings if each["rule"] == "looked-at"} == {"ssh://node"}


@pytest.mark.parametrize(
    "said", [r"\033]0;owned\007\033[2J", r"x\r::stop-commands::owned", r"::add-mask::owned", "##[owned]"]
)
def test_what_a_host_says_on_stderr_is_obeyed_by_no_terminal_and_no_job(tools: Tools, home: Path, said: str) -> None:
    with Sshd(tools, home, forced(home, f"printf '{said}\\n' >&2; exit 3")) as sshd:
        for form in ("text", "github", "json"):
            ran = run("node", "ssh://node", "--ssh-config", str(sshd.config), *ABOUT, "--format", form)
            assert ran.code == 3
            assert "owned" in ran.out
            for stream in (ran.out, ran.err):
                assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|##\[", stream), form
                assert not re.search(r"(?m)^\s*::(?!(?:error|warning|notice) title=)", stream), form
