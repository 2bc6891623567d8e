"""Where what was found out is kept between runs: below the user's own cache folder, which may be deleted at any time.

What is there is only read where nobody else could have written it, and what can't be read is as if it were not there.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nodeworthy.collect.source.digest import digest_of

ENTRIES = 64
LARGEST = 64 * 1024 * 1024
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_NOT_THERE = (OSError, ValueError, RuntimeError, RecursionError)


def folder() -> Path:
    """Raises RuntimeError where the user has no home."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    base = named if named.is_absolute() else Path.home() / ".cache"
    return base / "nodeworthy"


def can_be() -> bool:
    """Whether there is anything, or could be: where not, nobody need find out what it would be called."""
    try:
        below = folder()
    except RuntimeError:
        return False
    there = next(each for each in (below, *below.parents) if os.path.lexists(each))
    return there == below or (there.is_dir() and os.access(there, os.W_OK))


def recall(name: str) -> Any:
    """What was kept under this name, None where there is nothing."""
    try:
        path = folder() / name
        if not _is_ours(path.parent):
            return None
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="ascii") as file:  # noqa: PTH123
            if not _is_own_file(os.fstat(file.fileno())):
                return None
            head, text = file.read(len(_head(""))), file.read()
        # What something else has changed is of any shape.
        return json.loads("{" + text) if head == _head(text) else None
    except _NOT_THERE:
        return None


def keep(name: str, data: Mapping[str, Any]) -> None:
    """Keeps it whole or not at all."""
    try:
        text = json.dumps(data, separators=(",", ":"))
        below = folder()
        below.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(text) > LARGEST or not _is_ours(below):
            return
        _write(below / name, _head(text[1:]) + text[1:])
        _prune(below)
    except _NOT_THERE:
        return


def _head(rest: str) -> str:
    """How an entry begins that goes on like this."""
    return f'{{"digest":"{digest_of(rest.encode("ascii"))}",'


def _write(path: Path, text: str) -> None:
    """Writes without tempfile, which imports half the library: the folder is nobody else's, and this process writes it
    once."""
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _is_ours(below: Path) -> bool:
    found = below.lstat()
    return stat.S_ISDIR(found.st_mode) and _is_own(found)


def _is_own_file(found: os.stat_result) -> bool:
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST and _is_own(found)


def _is_own(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & _WRITABLE_BY_OTHERS


def _prune(below: Path) -> None:
    """The oldest go first, and with them what a run that was killed has left behind."""
    kept = sorted(below.iterdir(), key=lambda path: path.lstat().st_mtime_ns, reverse=True)
    for path in kept[ENTRIES:]:
        with contextlib.suppress(OSError):
            path.unlink()
