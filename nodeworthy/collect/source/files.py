"""Finds files and turns their bytes into text, with one clear sentence where that can't be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LIMIT = 10 * 1024 * 1024
STDIN = "-"
_OPENED = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
# Folders that hold no change of the user's own.
LEFT_OUT = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".terraform", ".tox", ".mypy_cache"}
_OTHER_ENCODINGS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True)
class Source:
    """A file to look at: its path as the reader knows it, and whether it was named or found in a folder."""

    path: Path
    shown: str
    named: bool


class Unreadable(Exception):
    """Why a file can't be read as text."""

    def __init__(self, why: str, *, binary: bool = False) -> None:
        super().__init__(why)
        self.why = why
        # A picture in a repository is no fault; it is merely nothing of ours.
        self.binary = binary


def sources(paths: list[str], *, named: bool = True) -> Iterator[Source]:
    """Every file that these paths hold, each once. `named` says whether whoever listed them meant each of them;
    what does not exist is a mistake in any case."""
    seen: set[str] = set()
    for given in paths:
        path = Path(given)
        if given != STDIN and path.is_dir():
            found: Iterable[Source] = _inside(path)
        else:
            found = [Source(path, shown(path), named=named or not path.exists())]
        for source in found:
            real = os.path.realpath(source.path)
            if real not in seen:
                seen.add(real)
                yield source


def shown(path: Path) -> str:
    """Relative to where the command runs, where it lies below it; else as it was given."""
    if not path.is_absolute():
        return os.path.normpath(path)
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def _inside(folder: Path) -> Iterator[Source]:
    for directory, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(names):
            path = Path(directory, name)
            if path.is_file():
                yield Source(path, shown(path), named=False)


def read_bytes(source: Source) -> bytes:
    """The file's bytes. Raises Unreadable for what is too large or may not be read."""
    try:
        if source.shown == STDIN:
            return _limited(sys.stdin.buffer.read(LIMIT + 1))
        if source.path.exists() and not _has_an_end(source.path):
            raise Unreadable("is a pipe or a device, not a file", binary=True)
        with source.path.open("rb") as file:
            return _limited(file.read(LIMIT + 1))
    except OSError as problem:
        raise Unreadable(f"can't be read: {(problem.strerror or str(problem)).lower()}") from None


def _has_an_end(path: Path) -> bool:
    """A pipe that nobody writes to, or a device, may never end. What the shell opens (`<(command)`) has a writer."""
    return path.is_file() or path.is_dir() or str(path).startswith(_OPENED)


def _limited(data: bytes) -> bytes:
    if len(data) > LIMIT:
        raise Unreadable(f"is larger than {LIMIT // 1024 // 1024} MiB, the most that is read of a file")
    return data


def as_text(data: bytes) -> str:
    """The bytes as UTF-8 text, without a byte order mark."""
    for mark, encoding in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise Unreadable(f"is {encoding}; save it as UTF-8")
    if b"\x00" in data[:8192]:
        raise Unreadable("is binary, not text", binary=True)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Unreadable(f"is not UTF-8 (line {line}, byte 0x{data[problem.start]:02x})", binary=True) from None
