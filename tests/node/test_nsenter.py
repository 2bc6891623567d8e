"""`nsenter://`: what is asked of the program, and what becomes of processes that are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nodeworthy.collect.node import collector, specs
from nodeworthy.collect.node.asked import AskedHost
from tests.run import run

STAND_IN = """\
#!/bin/sh
# What is run inside may ask the real one's kind in turn, of whatever else this machine holds.
[ -e FOLDER/asked ] || printf '%s\\n' "$*" "${SECRET-none}" >FOLDER/asked
while [ "$1" != /bin/sh ]; do shift; done
exec "$@"
"""


@pytest.fixture
def nsenter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs here what it is told to run there: what is asked and answered is real."""
    program = tmp_path / "nsenter"
    program.write_text(STAND_IN.replace("FOLDER", str(tmp_path)))
    program.chmod(0o755)
    monkeypatch.setattr("nodeworthy.collect.node.backends.ENVIRONMENT", f"env -i PATH={tmp_path}:{os.environ['PATH']}")
    return tmp_path / "asked"


def ask(spec: str) -> AskedHost:
    (asked,) = collector.ask_all(specs.parse_all([spec]), collector.Asking(20))
    return asked


def test_in_all_namespaces_and_with_nothing_of_ours(nsenter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "hunter22")
    asked = ask("nsenter://4711")
    assert asked.recording is not None
    assert asked.recording.unreached is None
    assert asked.recording.parts[-1].name == "done"
    assert asked.name == "nsenter://4711"
    said = nsenter.read_text()
    assert said.startswith("--target 4711 --mount --uts --ipc --net --pid --cgroup --root --wd /bin/sh -c ")
    assert said.endswith("\nnone\n")


def test_by_a_file_that_holds_the_number(nsenter: Path, tmp_path: Path) -> None:
    held = tmp_path / "node.pid"
    held.write_text("815\n")
    assert ask(f"nsenter://{held}").name == f"nsenter://{held}"
    assert nsenter.read_text().startswith("--target 815 ")


@pytest.mark.parametrize(("content", "why"), [("-1; reboot", "holds no process's number"), (None, "No such file")])
def test_a_file_that_holds_none(nsenter: Path, tmp_path: Path, content: str | None, why: str) -> None:
    held = tmp_path / "node.pid"
    if content is not None:
        held.write_text(content)
    recording = ask(f"nsenter://{held}").recording
    assert recording is not None
    assert why in (recording.unreached or "")
    assert not nsenter.exists()


def test_a_process_that_is_gone_is_told_in_the_programs_words() -> None:
    recording = ask("nsenter://4194305").recording  # the kernel numbers no process so high
    assert recording is not None
    assert recording.unreached is not None
    assert "nsenter: " in recording.unreached


@pytest.mark.parametrize("spec", ["nsenter://", "nsenter://self", "nsenter://1;reboot", "nsenter://-1"])
def test_what_is_no_process(spec: str) -> None:
    assert run("node", spec).code == 2
