"""What the lab says of a machine on which it can boot no node."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.lab import host_requirements
from tests.run import run


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """One that has everything but FUSE."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(host_requirements, "PROGRAMS", ("sh",))
    monkeypatch.setattr(host_requirements, "NAMESPACES", ("true",))
    monkeypatch.setattr(host_requirements, "_file_systems", lambda: ["cgroup2", "overlay"])
    monkeypatch.setattr(host_requirements, "FUSE", tmp_path / "fuse")
    return monkeypatch


def test_without_fuse_no_fault_is_injected(machine: pytest.MonkeyPatch) -> None:
    ran = run("lab", "faults", "--only", "clock-off")
    assert (ran.code, ran.out) == (3, "")
    why = "the kernel's fuse (/dev/fuse), by which a node's shared storage is served: modprobe fuse"
    assert ran.err == f"nodeworthy lab: no node can be booted on this machine, for want of: {why}\n"


def test_images_without_shared_storage_need_none(machine: pytest.MonkeyPatch) -> None:
    assert host_requirements.missing("debian") == []


def test_a_device_that_opens_is_fuse(machine: pytest.MonkeyPatch) -> None:
    host_requirements.FUSE.touch()
    assert host_requirements.missing() == []


@pytest.mark.parametrize("probe", [("false",), ("no-such-program",)])
def test_a_container_that_may_make_no_namespaces(machine: pytest.MonkeyPatch, probe: tuple[str, ...]) -> None:
    machine.setattr(host_requirements, "NAMESPACES", probe)
    assert host_requirements.missing("debian") == [
        "the right to make namespaces, which a container has only where it is privileged"
    ]
