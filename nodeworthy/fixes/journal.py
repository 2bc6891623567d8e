"""Which files one `check --fix` writes: whoever is killed in the middle has left word for the next one.

The journal is there before the first mended file lies beside the one whose place it takes. As soon as all of them do it
says so: from then on the set is finished, before that it is taken back. It is kept in a folder of the user's own, for
what lies in a repository may be a stranger's.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from nodeworthy.fixes.left_behind import folder, journals, staged_name
from nodeworthy.records import dataclass

SCHEMA = "nodeworthy/fix/v1"
_READY = "\nready\n"


def new_token() -> str:
    return secrets.token_hex(4)


@dataclass(frozen=True)
class JournalEntry:
    """A file, what it held and what it is to hold, by digests."""

    path: Path
    before: str
    after: str

    @staticmethod
    def of(path: Path, before: bytes, after: bytes) -> JournalEntry:
        return JournalEntry(Path(os.path.abspath(path)), _digest(before), _digest(after))


class Journal:
    """The journal of a run that is under way; nobody else finishes that run's work."""

    def __init__(self, token: str, entries: Sequence[JournalEntry]) -> None:
        """Writes the journal. Where that is not possible, the fix runs without one."""
        self.is_ready = False
        self._file: IO[str] | None = None
        self._path = Path()
        with suppress(OSError, RuntimeError):
            below = folder()
            below.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path = below / f"fix-{token}.json"
            self._file = open(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")  # noqa: PTH123, SIM115 - as long as it is held
            _hold(self._file)
            files = [{"path": os.fspath(each.path), "before": each.before, "after": each.after} for each in entries]
            self._write(json.dumps({"schema": SCHEMA, "files": files}))

    def ready(self) -> None:
        """Marks the point from which on nobody gives up."""
        try:
            self._write(_READY)
            self.is_ready = self._file is not None
        except OSError:
            self.end()  # a journal that says less than is true is worse than none

    def leave(self) -> None:
        """Leaves the journal to whoever runs next."""
        if self._file is not None:
            self._file.close()

    def end(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._path.unlink()
                self._file.close()

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text)
            self._file.flush()
            os.fsync(self._file.fileno())


@dataclass
class BrokenOff:
    """A run that did not come to its end."""

    journal: Path
    token: str
    entries: Sequence[JournalEntry]
    # Every mended file lay beside the one whose place it takes.
    is_ready: bool
    # What can't be finished, and why.
    left: dict[Path, str] = field(default_factory=dict)

    @property
    def written(self) -> int:
        return sum(_digest_of(each.path) == each.after for each in self.entries)

    def finish(self) -> int:
        """How many files it has written now."""
        done = sum([self._finish(each) for each in self.entries])
        with suppress(OSError):
            self.journal.unlink()
        return done

    def _finish(self, entry: JournalEntry) -> bool:
        staged = entry.path.parent / staged_name(entry.path.name, self.token)
        now = _digest_of(entry.path)
        try:
            if self.is_ready and now == entry.before and _digest_of(staged) == entry.after:
                os.replace(staged, entry.path)
                return True
            if self.is_ready and now != entry.after:
                self.left[entry.path] = "it has changed since" if now != entry.before else "what it should hold is gone"
            staged.unlink(missing_ok=True)
        except OSError as problem:
            self.left[entry.path] = (problem.strerror or str(problem)).lower()
        return False


def broken_runs(reals: Collection[str]) -> Iterator[BrokenOff]:
    """The runs that were to write one of these files, links resolved, and did not come to their end."""
    for path in journals():
        found = _read_journal(path)
        if found is None:
            continue
        if not any(each.path.exists() for each in found.entries):
            with suppress(OSError):
                path.unlink()  # it was killed before it was written, or all that it speaks of is gone
        elif any(os.path.realpath(each.path) in reals for each in found.entries):
            yield found


def _read_journal(path: Path) -> BrokenOff | None:
    """None for one that goes on, and for one that is not ours."""
    try:
        with open(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK), encoding="utf-8") as file:  # noqa: PTH123
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                return None
            _hold(file)
            text = file.read()
    except (OSError, ValueError):
        return None
    return BrokenOff(path, path.stem.removeprefix("fix-"), _entries(text.removesuffix(_READY)), text.endswith(_READY))


def _entries(text: str) -> list[JournalEntry]:
    try:
        data = json.loads(text)
        return [_entry(each) for each in data["files"]] if data["schema"] == SCHEMA else []
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _entry(data: Mapping[str, Any]) -> JournalEntry:
    path = Path(str(data["path"]))
    if not path.is_absolute():
        raise ValueError(path)
    return JournalEntry(path, str(data["before"]), str(data["after"]))


def _hold(file: IO[str]) -> None:
    """Until it is closed, or its process is no more. Raises OSError where somebody else does."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _digest_of(path: Path) -> str:
    """Empty where no regular file is there."""
    try:
        return _digest(path.read_bytes()) if stat.S_ISREG(path.lstat().st_mode) else ""
    except OSError:
        return ""
