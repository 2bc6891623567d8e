"""The text of a file that a run depends on: a stack's, settings. It is read whole, or one sentence says why not."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from nodeworthy.errors import InputError

# What the shell opens (`<(command)`) has a writer; any other pipe, or a device, may never end.
OPENED = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
_OTHER_ENCODINGS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def text_of(path: Path, shown: str, limit: int, called: str) -> str:
    """Raises InputError for what is no regular file of UTF-8, and for what is larger than `called` may be."""
    data = _bytes_of(path, shown, limit, called)
    if encoding := other_encoding(data):
        raise InputError(f"{shown} is {encoding}; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(f"{shown} is no text in UTF-8 (byte {problem.start})") from None


def other_encoding(data: bytes) -> str | None:
    """What its byte order mark says it is, if that is not UTF-8."""
    return next((encoding for mark, encoding in _OTHER_ENCODINGS if data.startswith(mark)), None)


def _bytes_of(path: Path, shown: str, limit: int, called: str) -> bytes:
    try:
        _refuse_no_file(path, shown)
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as problem:
        if path.is_symlink() and not os.path.exists(path):  # noqa: PTH110 - a circle of links is no exception here
            raise InputError(f"{shown} is a link that leads nowhere") from None
        raise InputError(f"can't read {shown}: {problem.strerror}") from None
    if len(data) > limit:
        raise InputError(f"{shown} is larger than {called} may be: {limit // 1_000_000} MB")
    return data


def _refuse_no_file(path: Path, shown: str) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError(f"{shown} is a folder, not a file")
    if not stat.S_ISREG(mode) and not str(path).startswith(OPENED):
        raise InputError(f"{shown} is a pipe or a device, not a file")
