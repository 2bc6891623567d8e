"""Where the lab keeps what takes long to make; a thing is made once for each state of what it is made from."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
STALE_SECONDS = 24 * 60 * 60


def home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "nodeworthy" / "lab"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept(name: str, made_from: Iterable[str], make: Callable[[Path], None]) -> Path:
    """The folder of this name, made by `make` unless it is there; states that nobody has used for a day are removed."""
    digest = hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:16]
    folder = home() / f"{name}-{digest}"
    with locked(name):
        if not folder.exists():
            remove(each for each in home().glob(f"{name}-????????????????") if _is_stale(each))
            unfinished = home() / f"{name}.unfinished"
            remove([unfinished])
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
        (home() / f"{folder.name}.used").touch()
    return folder


def _is_stale(folder: Path) -> bool:
    """Another checkout may be using another state at this moment."""
    used = home() / f"{folder.name}.used"
    return not used.exists() or time.time() - used.stat().st_mtime > STALE_SECONDS


@contextmanager
def locked(name: str) -> Iterator[None]:
    """One process at a time, over all processes of this machine."""
    with (home() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove(folders: Iterable[Path]) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def sources(*patterns: str) -> list[str]:
    """The lab's own files that match, name and text: what is made by them is made anew when they change."""
    files = sorted(path for pattern in patterns for path in HERE.glob(pattern) if path.is_file())
    return [f"{path.relative_to(HERE)}\n{path.read_text()}" for path in files]
