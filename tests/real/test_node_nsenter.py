"""`nsenter://` with the real program: a process in namespaces of its own is looked at from inside."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.node import collector, specs

from .tools import Tools


@pytest.fixture
def apart(tools: Tools) -> Iterator[int]:
    """A process with a name and numbers of its own."""
    tools.need_root()
    inside = "hostname gpu-apart; echo ready; exec sleep 60"
    command = ["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
    with subprocess.Popen([*command, "sh", "-c", inside], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        process.kill()


def test_it_is_seen_from_inside(apart: int) -> None:
    (asked,) = collector.ask_all(specs.parse_all([f"nsenter://{apart}"]), collector.Asking(30))
    assert asked.recording is not None
    assert asked.recording.unreached is None
    said = asked.recording.by_name
    assert (said["name"].stdout, said["who"].stdout) == ("gpu-apart", "0")
    assert len(said["ourselves"].stdout.split()) == 2, "numbered by its own first process"
