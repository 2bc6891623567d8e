"""What `check` costs: of a repository cold and unchanged, in memory, of one long file, and beside others' linters."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bench import repository
from bench.measure import NotMeasured, nodeworthy_cpu_ms, nodeworthy_mb, nodeworthy_ms

LARGE, COMPARED = 5000, 500
LONG_LINES = 100_000
# Until then a change might hide in a file's time, and nothing of it is answered from the cache.
_SETTLES_S = 2.5
ANY = (0, 1, 3)


@cache
def repository_of(folder: Path, files: int) -> Path:
    below = folder / f"repository-{files}"
    repository.write(below, files)
    return below


def cold_ms(folder: Path, files: int, times: int = 3) -> float:
    return nodeworthy_ms("check", ".", "--no-cache", cwd=repository_of(folder, files), exits=ANY, times=times)


def computing_ms(folder: Path, files: int, times: int) -> float:
    """All cores together, however busy the machine is."""
    return nodeworthy_cpu_ms("check", ".", "--no-cache", cwd=repository_of(folder, files), exits=ANY, times=times)


def unchanged_ms(folder: Path) -> float:
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    below = repository_of(folder, LARGE)
    time.sleep(_SETTLES_S)
    nodeworthy_ms("check", ".", cwd=below, exits=ANY, times=1)
    return nodeworthy_ms("check", ".", cwd=below, exits=ANY, times=5)


def memory_mb(folder: Path) -> float:
    """The most that a cold run of many files holds at once."""
    return nodeworthy_mb("check", ".", "--no-cache", cwd=repository_of(folder, LARGE))


def long_file_ms(folder: Path) -> float:
    below = folder / "long"
    below.mkdir(exist_ok=True)
    parts = "".join(f"part{n}:\n  a: {n}\n  b: [x, y]\n  c: text\n" for n in range(LONG_LINES // 4))
    (below / "values.yaml").write_text(f"toolkit:\n  enabled: true\n{parts}", encoding="utf-8")
    return nodeworthy_ms("check", "values.yaml", "--no-cache", cwd=below, times=3)


def share_of_checkov(folder: Path) -> float:
    """How long we take for what checkov takes 1, both of the whole tree, in computing time."""
    return _share(folder, [_program("checkov"), "-d", ".", "--quiet", "--compact"])


def share_of_shellcheck(folder: Path) -> float:
    """We of the whole tree, it of the scripts alone: it reads nothing else."""
    below = repository_of(folder, COMPARED)
    scripts = [str(path) for pattern in ("*.sh", "*.sbatch") for path in below.rglob(pattern)]
    return _share(folder, [_program("shellcheck"), *scripts])


def share_of_yamllint(folder: Path) -> float:
    return _share(folder, [_program("yamllint"), "."])


def _share(folder: Path, theirs: Sequence[str]) -> float:
    below = repository_of(folder, COMPARED)
    ours = [sys.executable, "-m", "nodeworthy", "check", ".", "--no-cache"]
    return min(_cpu_s(ours, below) for _ in range(2)) / _cpu_s(theirs, below)


def _program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise NotMeasured(f"{name} is not installed")
    return found


def _cpu_s(command: Sequence[str], below: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=below, capture_output=True, timeout=600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
