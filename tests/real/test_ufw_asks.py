"""Whom ufw asks before it switches itself on: whoever came by ssh, and nobody at boot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .daemon import PATIENCE
from .tools import Tools

# ufw looks for a process of this name among those above it.
BELOW_SSHD = """import ctypes, subprocess, sys
ctypes.CDLL(None).prctl(15, b"sshd", 0, 0, 0)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
ALONE = """set -eu
cp -a /etc/ufw "$1/ufw"
cp -a /etc/default "$1/default"
mount --bind "$1/ufw" /etc/ufw
mount --bind "$1/default" /etc/default
mount -t tmpfs tmpfs /run
ip link set lo up
sh "$1/asked.sh" >&2 || true
ufw status
"""
SCRIPT = "ufw enable\necho the rest\n"


@pytest.mark.parametrize(
    ("command", "is_on", "goes_on"),
    [
        ("sh {own}/script.sh < /dev/null", True, True),
        ("python3 {own}/sshd.py sh {own}/script.sh < /dev/null", False, True),
        ("cat {own}/script.sh | python3 {own}/sshd.py bash -s", False, False),
        ("echo y | python3 {own}/sshd.py sh {own}/script.sh", True, True),
    ],
    ids=["at boot", "below ssh, nothing to read", "given to ssh", "answered"],
)
def test_who_is_asked(tools: Tools, tmp_path: Path, command: str, is_on: bool, goes_on: bool) -> None:
    tools.need_root()
    for program in ("ufw", "iptables", "ip", "unshare"):
        tools.path(program)
    (tmp_path / "sshd.py").write_text(BELOW_SSHD, encoding="utf-8")
    (tmp_path / "script.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "asked.sh").write_text(command.format(own=tmp_path), encoding="utf-8")
    alone = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    told = ["sh", "-c", ALONE, "alone", str(tmp_path)]
    ran = subprocess.run([*alone, *told], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.stdout.startswith("Status: active" if is_on else "Status: inactive"), ran.stderr
    assert ("the rest" in ran.stderr) is goes_on, ran.stderr
