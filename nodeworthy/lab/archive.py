"""Writes what a kernel unpacks as its first file system: cpio, in its `newc` form."""

from __future__ import annotations

import stat
from collections.abc import Iterable
from pathlib import PurePosixPath

from nodeworthy.records import dataclass

END = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """A file; a folder where it has no content."""

    name: str
    content: bytes | None = None
    mode: int = 0o644


def archive(entries: Iterable[Entry]) -> bytes:
    """Folders are made as they are needed."""
    written = bytearray()
    folders: set[str] = set()
    for number, entry in enumerate(_with_folders(entries, folders), start=1):
        written += _record(number, entry)
    return bytes(written + _record(0, Entry(END, b"", 0)))


def _with_folders(entries: Iterable[Entry], made: set[str]) -> Iterable[Entry]:
    for entry in entries:
        above = [str(folder) for folder in reversed(PurePosixPath(entry.name).parents) if str(folder) != "."]
        names = above if entry.content is not None else [*above, entry.name]
        for name in names:
            if name not in made:
                made.add(name)
                yield Entry(name, None, 0o755)
        if entry.content is not None:
            yield entry


def _record(number: int, entry: Entry) -> bytes:
    kind = stat.S_IFDIR if entry.content is None else stat.S_IFREG
    content, name = entry.content or b"", entry.name.encode() + b"\0"
    mode = kind | entry.mode if entry.name != END else 0
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % each for each in fields)
    return _padded(header + name) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
