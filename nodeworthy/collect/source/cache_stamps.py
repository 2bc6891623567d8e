"""The stamp by which a file is known to be unchanged: its place on the disk, its size, and the time of its last
change."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import nodeworthy
from nodeworthy.collect.source.digest import digest_of
from nodeworthy.collect.source.stack_files import STACK_FILE, upwards
from nodeworthy.settings.find import OWN, PYPROJECT

# Empty where there is no such file; None where a later change might not show.
Stamp = list[int] | None
# Clocks of file systems may be as coarse as this: what was changed so shortly ago may change again unseen.
COARSEST_NS = 2_000_000_000


def stamp(path: str | Path, began: int) -> Stamp:
    try:
        found = os.stat(path)  # noqa: PTH116 - of thousands of files, at every run
    except OSError:
        return []
    # Nobody can set this time, whatever they do to the other one.
    if found.st_ctime_ns > began - COARSEST_NS:
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode]


def around(folders: Iterable[Path], named: Iterable[str], began: int) -> dict[str, Stamp]:
    """What decides by which fleet the files of these folders are judged: stack files and settings, upwards to the
    scope's root, and fleets that lie elsewhere and were named, by their absolute paths."""
    above = dict.fromkeys(each for folder in folders for each in upwards(folder))
    found: dict[str, Stamp] = {}
    for folder in above:
        found[f"{folder}/"] = []
        for name in _deciding(folder):
            found[f"{folder}/{name}"] = stamp(folder / name, began)
    for path in named:
        found[path] = stamp(path, began)
    return found


def _deciding(folder: Path) -> list[str]:
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in names if name in (OWN, PYPROJECT) or STACK_FILE.fullmatch(name)]


@cache
def program() -> str:
    """This version of ours, to the last file: what another one found out is not believed. A process stays the one that
    was started, whatever becomes of its files."""
    told = [sys.version]
    yaml = find_spec("yaml")
    for path in (*_own_files(Path(nodeworthy.__file__).parent), *([yaml.origin] if yaml and yaml.origin else ())):
        found = os.stat(path)  # noqa: PTH116 - hundreds, at every run
        told.append(f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ino}\n")
    return digest_of("".join(told).encode(errors="surrogateescape"))


def _own_files(folder: Path) -> list[str]:
    files: list[str] = []
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        files += [f"{directory}/{name}" for name in sorted(names)]
    return files
