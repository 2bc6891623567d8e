"""Where a fleet is looked for: stack files and settings, from a folder upwards to the repository's root."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from nodeworthy.patterns import pattern

STACK_FILE = pattern(r"Pulumi\.(?P<stack>[^/]+)\.ya?ml")


def upwards(folder: Path, named: Iterable[Path] = ()) -> list[Path]:
    """From the folder to the repository's root; outside of a repository to the outermost of the folders that were
    named and the one that the command runs in, where it lies in any of them."""
    above = [folder, *folder.parents]
    for index, each in enumerate(above):
        if (each / ".git").exists():
            return above[: index + 1]
    tops = [above.index(each) for each in (Path.cwd(), *named) if each in above]
    return above[: max(tops, default=0) + 1]


def folders_of(paths: Iterable[str]) -> tuple[Path, ...]:
    """Those of the paths that are folders."""
    return tuple(Path(os.path.abspath(each)) for each in paths if Path(each).is_dir())
