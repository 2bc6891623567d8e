"""Programs of Debian's that are no stand-ins: taken out of their packages, without their units and settings."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from nodeworthy.lab import cache
from nodeworthy.lab.commands import LabError, run

SECONDS = 180
APT = ("apt-cache", "apt-get")


def version(package: str) -> str:
    """What apt would fetch."""
    if any(shutil.which(program) is None for program in APT):
        raise LabError(f"there is no apt here, which would fetch {package}")
    told = run(["apt-cache", "policy", package], seconds=30)
    found = re.search(r"Candidate: (\S+)", told)
    if found is None or found[1] == "(none)":
        raise LabError(f"apt knows of no package {package}: apt-get update")
    return found[1]


def take(package: str, program: str, root: Path) -> None:
    """Puts the package's program where it has it."""
    with tempfile.TemporaryDirectory(dir=cache.home()) as scratch:
        run(["sh", "-c", 'cd "$0" && apt-get -qq download "$1"', scratch, package], seconds=SECONDS)
        for fetched in Path(scratch).glob("*.deb"):
            run(["dpkg-deb", "--extract", fetched, scratch], seconds=SECONDS)
        (root / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(Path(scratch) / program, root / program)
