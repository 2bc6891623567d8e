"""Finds the real programs: on PATH first, which is what users have, else where `make tools` has put them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from .daemon import PATIENCE

BUILD = Path(__file__).resolve().parents[2] / "tools" / "build.py"

# `containerd-2.2`: a program of this minor version and no other.
OF_MINOR = re.compile(r"(?P<name>.+)-(?P<minor>\d+\.\d+)")


class Built(NamedTuple):
    """A program that `make tools` has built."""

    name: str
    minor: str
    path: Path


@dataclass
class Tools:
    """What tests ask for a program. What they had to do without is remembered, to be said at the end."""

    required: bool
    missed: set[str] = field(default_factory=set)

    def path(self, wanted: str) -> Path:
        """`etcd`, or `containerd-2.2` where the minor version matters; skips the test if there is none."""
        return find(wanted) or self.do_without(wanted, "neither on PATH nor built by make tools")

    def need_root(self) -> None:
        if os.geteuid() != 0:
            self.do_without("root", "this test starts what only root may start")

    def do_without(self, what: str, why: str) -> NoReturn:
        self.missed.add(what)
        if self.required:
            pytest.fail(f"{what}: {why} (--require-tools)", pytrace=False)
        pytest.skip(f"{what}: {why}")


def find(wanted: str) -> Path | None:
    asked = OF_MINOR.fullmatch(wanted)
    name, minor = (asked["name"], asked["minor"]) if asked else (wanted, None)
    on_path = shutil.which(name)
    if on_path and (minor is None or minor == minor_version(on_path)):
        return Path(on_path)
    fitting = [tool for tool in built() if tool.name == name and minor in (None, tool.minor)]
    return fitting[-1].path if fitting else None


@cache
def minor_version(program: str) -> str | None:
    """The program's own word; None if it does not tell, and then it is not the one that was asked for."""
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    told = re.search(r"\bv?(\d+\.\d+)\.\d+", answer.stdout)
    return told[1] if told else None


@cache
def built() -> tuple[Built, ...]:
    """Asks the builder, which alone knows how its cache is keyed; families come in order of their version."""
    kept = {**os.environ, "XDG_CACHE_HOME": os.environ.get("USERS_CACHE_HOME", "")}
    command = [sys.executable, str(BUILD), "--list"]
    listing = subprocess.run(command, env=kept, capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in listing.splitlines()]
    return tuple(
        Built(name, ".".join(version.removeprefix("v").split(".")[:2]), Path(path))
        for name, version, _family, state, path in rows
        if state == "built"
    )
