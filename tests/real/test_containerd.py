"""Every containerd that we build starts fast, confined to its own folder, and reads what it is given."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from .containerd import Containerd
from .daemon import PATIENCE
from .tools import Tools

VERSIONS = ["containerd-2.2", "containerd-2.3"]

# What an unconfined containerd makes on a machine.
TRACES = [Path(trace) for trace in ("/opt/containerd", "/etc/cni", "/run/nri", "/run/containerd")]


@pytest.mark.parametrize("name", VERSIONS)
def test_it_starts_and_leaves_no_trace(tools: Tools, name: str) -> None:
    before = [trace.exists() for trace in TRACES]
    with Containerd(tools, name) as containerd:
        home, command = containerd.home, Path(f"/proc/{containerd.pid}/comm").read_text().strip()
        answer = ctr(tools, name, containerd, "version")
    assert command == "containerd"
    assert answer.count(f" v{name.removeprefix('containerd-')}.") == 2, "of the client and of the server"
    assert [trace.exists() for trace in TRACES] == before
    assert not home.exists()
    assert not Path(f"/proc/{containerd.pid}").exists()


@pytest.mark.parametrize("name", VERSIONS)
def test_a_new_import_counts_after_a_restart(tools: Tools, name: str, tmp_path: Path) -> None:
    with Containerd(tools, name, imports=[tmp_path / "*.toml"]) as containerd:
        (tmp_path / "runtime.toml").write_text(
            "version = 3\n"
            '[plugins."io.containerd.cri.v1.runtime".containerd]\n'
            '  default_runtime_name = "nvidia"\n'
            '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]\n'
            '  runtime_type = "io.containerd.runc.v2"\n'
        )
        containerd.stop()
        containerd.start()
        understood = tomllib.loads(containerd.dump())
        plugins = ctr(tools, name, containerd, "plugins", "list", "id==runtime")
    runtimes = understood["plugins"]["io.containerd.cri.v1.runtime"]["containerd"]
    assert runtimes["default_runtime_name"] == "nvidia"
    assert set(runtimes["runtimes"]) == {"runc", "nvidia"}
    assert " ok" in plugins


def ctr(tools: Tools, containerd: str, server: Containerd, *arguments: str) -> str:
    client = tools.path(containerd.replace("containerd", "ctr"))
    command = [str(client), "--address", str(server.socket), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
