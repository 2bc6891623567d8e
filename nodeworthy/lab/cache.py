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


def cached_folder(name: str, made_from: Iterable[str], make: Callable[[Path], None]) -> Path:
    """The folder of this name, made by `make` unless it is there; states that nobody has used for a day are removed."""
    digest = hashlib.sha256("\0".join(made_from).encode()).hexdigest()[:16]
    folder = home() / f"{name}-{digest}"
    with lock_cache(name):
        if not folder.exists():
            _remove_stale(home().glob(f"{name}-????????????????"))
            unfinished = home() / f"{name}.unfinished"
            remove([unfinished])
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
        (home() / f"{folder.name}.used").touch()
    return folder


def _remove_stale(states: Iterable[Path]) -> None:
    """Removes stale states, without those that another checkout may be using at this moment."""
    for state in states:
        used = home() / f"{state.name}.used"
        if not used.exists() or time.time() - used.stat().st_mtime > STALE_SECONDS:
            remove([state])
            used.unlink(missing_ok=True)


@contextmanager
def lock_cache(name: str) -> Iterator[None]:
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
