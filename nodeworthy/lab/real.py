"""Programs of Debian's that are no stand-ins: the files of their packages, as they were made, and nothing of what
installing them would do."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nodeworthy.lab import cache
from nodeworthy.lab.commands import LabError, run

SECONDS = 180
APT = ("apt-cache", "apt-get")
# Where Debian's merged folders really are.
MERGED = ("bin", "sbin", "lib")


def versions(packages: Sequence[str]) -> list[str]:
    """What apt would fetch."""
    if not packages:
        return []
    if any(shutil.which(program) is None for program in APT):
        raise LabError(f"there is no apt here, which would fetch {', '.join(packages)}")
    told = run(["apt-cache", "policy", *packages], seconds=120)
    found = [each for each in re.findall(r"Candidate: (\S+)", told) if each != "(none)"]
    if len(found) != len(packages):
        raise LabError(f"apt does not know all of these, and apt-get update may help: {', '.join(packages)}")
    return [f"{name} {version}" for name, version in zip(packages, found, strict=True)]


def lay(packages: Sequence[str], root: Path) -> None:
    """Puts the packages' files where they have them."""
    with tempfile.TemporaryDirectory(dir=cache.home()) as scratch:
        run(["sh", "-c", 'cd "$0" && apt-get -qq download "$@"', scratch, *packages], seconds=SECONDS)
        tree = Path(scratch) / "tree"
        for fetched in sorted(Path(scratch).glob("*.deb")):
            run(["dpkg-deb", "--extract", fetched, tree], seconds=SECONDS)
        for name in MERGED:
            if (tree / name).is_dir():
                shutil.copytree(tree / name, tree / "usr" / name, symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(tree / name)
        shutil.copytree(tree, root, symlinks=True, dirs_exist_ok=True)
