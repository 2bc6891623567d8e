"""The repository as the tests of its form see it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("nodeworthy", "infra", "userdata", "policies", "nodes", "tools", "bench", "tests")
# What is read and not run: the inputs of cases, what is expected of them, recordings of machines, scripts as users write.
NOT_CODE = (
    "cases",
    "turned",
    "as_read",
    "strangers",
    "slurm_jobs",
    "goldens",
    "recordings",
    "fleets",
    "results",
    "styles",
    "scripts",
    "__pycache__",
)
SUFFIXES = (".py", ".sh", ".toml", ".tpl", ".yaml", ".yml", ".json")


def code(root: Path = ROOT, rooms: tuple[str, ...] = ROOMS) -> Iterator[Path]:
    """Every file of our own code."""
    for room in rooms:
        for folder, inside, names in os.walk(root / room):
            inside[:] = sorted(set(inside) - set(NOT_CODE))
            yield from (Path(folder, name) for name in sorted(names) if name.endswith(SUFFIXES))


def copy(destination: Path, *names: str) -> Path:
    """These files and folders of the repository, elsewhere, to be spoilt."""
    for name in names:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, destination / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, destination / name)
    return destination
