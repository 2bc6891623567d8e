"""Writes a mended file: all of it or nothing, and only over what was read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from nodeworthy.fixes.journal import new_token
from nodeworthy.fixes.left_behind import staged_name


class NotWritten(Exception):
    """Why a file was left as it is."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def why_not(path: Path) -> str:
    """Why a file may not be written, as far as can be seen before; empty where it may."""
    try:
        found = path.lstat()
    except OSError as problem:
        return f"it can't be looked at: {_says(problem)}"
    if stat.S_ISLNK(found.st_mode):
        return "it is a symbolic link: name the file that it leads to"
    if not stat.S_ISREG(found.st_mode):
        return "it is no regular file"
    if found.st_nlink > 1:
        return "it has several names (hard links), and only one of them would be mended"
    if not found.st_mode & 0o222 or not os.access(path, os.W_OK):
        return "it is read-only"
    return ""


def write(path: Path, before: bytes, after: bytes) -> None:
    """Replaces what was read. Raises NotWritten, and leaves the file as it is, where anything else stands there."""
    with StagedFile(path, before, after) as beside:
        beside.take_its_place()


class StagedFile:
    """The mended file beside the one whose place it takes: of several all are there before the first takes its."""

    def __init__(self, path: Path, before: bytes, after: bytes, token: str = "") -> None:
        """Stages the mended file, named by a token for whoever finds it. Raises NotWritten."""
        why = why_not(path)
        if why:
            raise NotWritten(why)
        self._path, self._before = path, before
        self._name = path.parent / staged_name(path.name, token or new_token())
        try:
            handle = os.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except OSError as problem:
            raise NotWritten(f"its folder can't be written: {_says(problem)}") from None
        try:
            _fill(handle, path.lstat(), after)
        except OSError as problem:
            self.give_up()
            raise NotWritten(f"it can't be written: {_says(problem)}") from None

    def take_its_place(self) -> None:
        """Raises NotWritten where something else stands there by now."""
        try:
            if why_not(self._path) or self._path.read_bytes() != self._before:
                raise NotWritten("it has changed since it was read")
            os.replace(self._name, self._path)
        except OSError as problem:
            raise NotWritten(f"it can't be written: {_says(problem)}") from None
        _settle(self._path.parent)

    def give_up(self) -> None:
        self._name.unlink(missing_ok=True)

    def __enter__(self) -> StagedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_up()


def _fill(handle: int, found: os.stat_result, data: bytes) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        if (found.st_uid, found.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(file.fileno(), found.st_uid, found.st_gid)
        os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
        file.flush()
        os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """The new name, too, is on the disk: some file systems know no such thing, and then it is as good as it gets."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _says(problem: OSError) -> str:
    return (problem.strerror or str(problem)).lower()
