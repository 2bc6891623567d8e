"""Whether git keeps a file, as its index says it. Nothing is run for it."""

from __future__ import annotations

import os
from pathlib import Path

_LARGEST = 64 * 1024 * 1024
_NAME_LENGTH = 0xFFF
# Of an entry, what stands before its name: times, numbers, an object's id, and flags; in version 3 more flags behind.
_BEFORE = 62


def is_kept(path: Path) -> bool:
    """False also where that can't be told."""
    return _stands_in_index(path) is True


def is_left_out(path: Path) -> bool:
    """Whether it lies in a repository that does not keep it: one's own file, which .gitignore names."""
    return _stands_in_index(path) is False


def _stands_in_index(path: Path) -> bool | None:
    """None where it lies in no repository of git's."""
    real = Path(os.path.realpath(path))
    for folder in real.parents:
        if (folder / ".git").exists():
            data = _index(folder / ".git")
            return data is not None and _holds(data, real.relative_to(folder).as_posix().encode())
    return None


def _index(git: Path) -> bytes | None:
    try:
        if git.is_file():  # a worktree, or a submodule
            said = git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
            git = Path(os.path.normpath(git.parent / said))
        index = git / "index"
        return index.read_bytes() if index.stat().st_size <= _LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None


def _holds(data: bytes, name: bytes) -> bool:
    if data[:4] != b"DIRC":
        return False
    try:
        return _in_compressed(data, name) if data[4:8] == b"\0\0\0\4" else _in_plain(data, name)
    except (IndexError, ValueError):  # it ends in the middle
        return False


def _in_plain(data: bytes, name: bytes) -> bool:
    at = data.find(name + b"\0")
    while at >= 0:
        for flags in (at - 2, at - 4):
            if int.from_bytes(data[flags : flags + 2], "big") & _NAME_LENGTH == min(len(name), _NAME_LENGTH):
                return True
        at = data.find(name + b"\0", at + 1)
    return False


def _in_compressed(data: bytes, name: bytes) -> bool:
    """Each name says how many letters of the one before it are gone, and what comes in their place."""
    at, before = 12, b""
    for _ in range(int.from_bytes(data[8:12], "big")):
        flags = int.from_bytes(data[at + 60 : at + 62], "big")
        at += _BEFORE + (2 if flags & 0x4000 else 0)
        gone = data[at] & 0x7F
        while data[at] & 0x80:
            at += 1
            gone = ((gone + 1) << 7) | (data[at] & 0x7F)
        at += 1
        end = data.index(b"\0", at)
        before = before[: len(before) - gone] + data[at:end]
        if before == name:
            return True
        at = end + 1
    return False
