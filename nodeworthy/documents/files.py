"""The files that a run reads: whole and as text, and none out of the tree that somebody named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
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


def line_starts(text: str) -> list[int]:
    """The offset of each line. Of the characters that Python splits lines at, only `\\n` begins one here."""
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


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


REPOSITORY = (".git", ".hg")


def tree_of(folder: str | Path, named: str = "") -> str:
    """The folder beyond which nothing is read unless somebody names it, its links resolved. It is the repository's
    root. Outside of a repository it is the folder that was named, or the highest one above a named file that is
    somebody's own."""
    lies = os.path.realpath(folder)
    above = [lies, *map(os.fspath, Path(lies).parents)]
    repository = next((each for each in above if holds(each, REPOSITORY)), None)
    if repository is not None:
        return repository
    return os.path.realpath(named) if named else list(up_to_everybodys(above))[-1]


def leads_out(path: str | Path, tree: str) -> bool:
    """Whether what stands at this path, links resolved, lies somewhere else than below this folder."""
    real = os.path.realpath(path)
    return real != tree and not real.startswith(f"{tree.rstrip('/')}/")


def up_to_everybodys(above: Iterable[str]) -> Iterable[str]:
    """Folders where everybody may write, a user's home and the disk's root are nobody's project."""
    homes = {"/", os.path.expanduser("~")}  # noqa: PTH111 - a user without a home is no fault here
    for index, each in enumerate(above):
        if index and (each in homes or _is_everybodys(each)):
            return
        yield each


def _is_everybodys(folder: str) -> bool:
    try:
        return bool(os.stat(folder).st_mode & stat.S_IWOTH)  # noqa: PTH116 - of every folder above, at every run
    except OSError:
        return True


def holds(folder: str, names: Iterable[str]) -> bool:
    return any(os.path.exists(f"{folder}/{name}") for name in names)  # noqa: PTH110 - of every folder above
