"""Asks a real kernel what it loads NVIDIA's module with, given the files that a node had for modprobe."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Mapping
from pathlib import Path

from nodeworthy.lab import cache
from nodeworthy.lab.archive import Entry, archive
from nodeworthy.lab.commands import LabError, run, tail
from nodeworthy.lab.kernel_parts import QEMU, kernel_parts

PROBE_SECONDS = 180
# microvm has no ACPI: the kernel ends by a triple fault, which ends the machine.
COMMAND_LINE = "console=ttyS0 quiet panic=-1 reboot=t"


def loaded_with(*modprobe_d: Mapping[str, str], command_line: str = "") -> list[dict[str, str]]:
    """What /proc/driver/nvidia/params shows, for each set of files: by their path, as they were when it was loaded."""
    parts = kernel_parts()
    files = [Entry(f"cases/{number}") for number in range(len(modprobe_d))]
    for number, each in enumerate(modprobe_d):
        files += [Entry(f"cases/{number}{_here(path)}", text.encode()) for path, text in sorted(each.items())]
    with tempfile.TemporaryDirectory(dir=cache.home()) as folder:
        initramfs = Path(folder) / "initramfs"
        initramfs.write_bytes((parts / "initramfs").read_bytes() + archive(files))
        said = run(_machine(parts / "vmlinuz", initramfs, f"{COMMAND_LINE} {command_line}"), seconds=PROBE_SECONDS)
    return [_params(said, number) for number in range(len(modprobe_d))]


def _here(path: str) -> str:
    """The kernel's first file system is so small that /usr/lib is not in it."""
    return path.removeprefix("/usr") if path.startswith("/usr/lib/") else path


def _params(said: str, number: int) -> dict[str, str]:
    lines = [line.strip() for line in said.splitlines()]
    if f"case {number}" not in lines:
        raise LabError(f"the kernel did not say what it loaded: {tail(said)}")
    rows = itertools.takewhile(lambda line: line != "end of case", lines[lines.index(f"case {number}") + 1 :])
    return {name: value for name, colon, value in (row.partition(": ") for row in rows) if colon}


def _machine(kernel: Path, initramfs: Path, command_line: str) -> list[str | Path]:
    """Without KVM, which may be there and of no use; three seconds are short enough."""
    machine = ["-M", "microvm,acpi=off,rtc=on,isa-serial=on", "-accel", "tcg", "-m", "256", "-no-reboot"]
    nothing_else = ["-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio"]
    return [QEMU, *machine, *nothing_else, "-kernel", kernel, "-initrd", initramfs, "-append", command_line]
