"""What nodes leave on this machine whose makers were killed, and how it goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from nodeworthy.lab import cache

PREFIX = "nodeworthy-lab"


def sweep() -> None:
    """Removes what nodes of processes left that were killed."""
    folders = {each.name: each for each in (cache.home() / "nodes").glob(f"{PREFIX}-*-*")}
    for name in {*folders, *(each.name for top in _cgroup_mounts() for each in top.glob(f"{PREFIX}-*-*"))}:
        if not Path(f"/proc/{name.removeprefix(PREFIX).split('-')[1]}").exists():
            remove_cgroups(cgroups(name))
            cache.remove([folders[name]] if name in folders else [])


def _cgroup_mounts() -> list[Path]:
    mounts = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    return [Path(mount[1]) for mount in mounts if mount[2] == "cgroup2"]


def cgroups(name: str) -> list[Path]:
    """The node's cgroups, those inside first."""
    tops = [top / name for top in _cgroup_mounts() if (top / name).exists()]
    # What has gone since it was listed is passed over: a node that ends takes its own away meanwhile.
    return [Path(folder) for top in tops for folder, _, _ in os.walk(top, topdown=False)]


def remove_cgroups(folders: Sequence[Path]) -> None:
    for folder in folders:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            return
