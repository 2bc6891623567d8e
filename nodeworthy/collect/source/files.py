"""Finds files and turns their bytes into text, with one clear sentence where that can't be done."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from nodeworthy.collect.source.scope import LEFT_OUT, Scope, Scopes
from nodeworthy.documents.files import OPENED, leads_out, other_encoding, tree_of
from nodeworthy.limits import TOO_MANY_DIGITS, holds_long_number
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

LIMIT = 10 * 1024 * 1024
# Of a plan of Terraform in JSON, which has three words for everything.
LIMIT_OF_A_PLAN = 100 * 1024 * 1024
# Terraform's begins with the first of these, what Pulumi prints of a preview with one of the others.
_A_PLAN = pattern(rb'\s*\{\s*"(?:format_version|(?:config|steps)(?=[\s\S]{0,20000}?"urn:pulumi:))"\s*:')
# How often a file is read that changes meanwhile.
ATTEMPTS = 3
STDIN = "-"


@dataclass(frozen=True)
class Source:
    """A file to look at: its path as the reader knows it, and whether it was named or found in a folder."""

    path: Path
    shown: str
    named: bool
    # Where it lies, links resolved: by this it is known to be the same.
    real: str = ""
    # Of a folder that may not be looked into.
    why: str = ""
    # The folder that was named, where it was found in one.
    below: str = ""
    # A link that nobody named, out of the tree in which it lies: nothing of what it leads to is read.
    leads_out: bool = False
    # What is to be judged in place of what the file holds: an editor's text, or what a fix would write.
    data: bytes | None = None
    # The same of other files, which this one may name; by how they are shown.
    others: Mapping[str, bytes] = field(default_factory=dict, compare=False)
    # Of one run.
    scopes: Scopes = field(default_factory=Scopes, compare=False)

    @cached_property
    def lies(self) -> str:
        """Where, wherever the command runs."""
        return STDIN if self.shown == STDIN else os.path.abspath(self.path)

    @cached_property
    def scope(self) -> Scope:
        """What may be looked at as evidence about it."""
        return self.scopes.of(None if self.shown == STDIN else self.path.parent)

    @cached_property
    def lies_within(self) -> str:
        """Its path below the root of its scope; its name alone where it has none."""
        root = self.scope.root
        return self.path.name if root is None else os.path.relpath(self.lies, os.path.abspath(root))

    def reaches(self, path: Path) -> bool:
        """Whether a file that this one names lies in its tree, links resolved: no other one is read for it."""
        return not leads_out(path, tree_of(self.path.parent, self.below))


class Unreadable(Exception):
    """Why a file can't be read as text."""

    def __init__(self, why: str, *, binary: bool = False, denied: bool = False) -> None:
        super().__init__(why)
        self.why = why
        # A picture in a repository is no fault; it is merely nothing of ours.
        self.binary = binary
        # Nobody can say what it is: it may be ours.
        self.denied = denied


def sources(
    paths: list[str], *, named: bool = True, var_files: Sequence[str] = (), stack: str | None = None
) -> Iterator[Source]:
    """Every file that these paths hold, each once. `named` says whether whoever listed them meant each of them;
    what does not exist is a mistake in any case. `var_files` say what roots of Terraform are given, and
    `stack` what a program in YAML is."""
    seen: set[str] = set()
    folders = [os.path.abspath(each) for each in paths if named and os.path.isdir(each)]  # noqa: PTH112
    scopes = Scopes(var_files=[os.path.abspath(each) for each in var_files], named=folders, stack=stack)
    for given in paths:
        path = Path(given)
        if given != STDIN and path.is_dir():
            found: Iterable[Source] = _inside(path, scopes, named=named)
        else:
            out = not named and path.is_symlink() and leads_out(path, tree_of(path.parent))
            real = os.path.realpath(path)
            found = [Source(path, shown_path(path), named or not path.exists(), real, scopes=scopes, leads_out=out)]
        for source in found:
            if source.leads_out or source.real not in seen:
                # What it leads to may be named beside it.
                seen.add(source.real if not source.leads_out else "")
                yield source


def shown_path(path: Path) -> str:
    """Relative to where the command runs, where it lies below it; else as it was given."""
    if not path.is_absolute():
        return os.path.normpath(path)
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def shown_path_beside(source: Source, path: str) -> str:
    """A file beside one that was named: by its whole path only where that one was, too."""
    return shown_path(Path(path) if source.path.is_absolute() else Path(os.path.relpath(path)))


def _inside(folder: Path, scopes: Scopes, *, named: bool) -> Iterator[Source]:
    """The files of a folder before those of the folders in it. Links to folders are not followed."""
    waiting, top = [os.fspath(folder)], os.fspath(folder)
    while waiting:
        directory = waiting.pop()
        real, begins = os.path.realpath(directory), shown_path(Path(directory, "_"))[:-1]
        try:
            with os.scandir(directory) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as problem:
            yield Source(Path(directory), shown_path(Path(directory)), named, real, _why(problem))
            continue
        for entry in entries:
            if _is_file(entry):
                out = entry.is_symlink() and leads_out(entry.path, tree_of(folder, top))
                path = os.path.realpath(entry.path) if entry.is_symlink() else f"{real}/{entry.name}"
                yield Source(
                    *(Path(entry.path), begins + entry.name, False, path), scopes=scopes, below=top, leads_out=out
                )
        inside = [each for each in entries if each.is_dir(follow_symlinks=False) and each.name not in LEFT_OUT]
        waiting += [each.path for each in reversed(inside)]
        named = False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads nowhere, or in a circle
        return False


def _why(problem: OSError) -> str:
    return f"can't be read: {(problem.strerror or str(problem)).lower()}{_meant(problem)}"


def _meant(problem: OSError) -> str:
    """A hint for a file that is not there: the file beside it with almost that name."""
    if problem.errno != errno.ENOENT or not isinstance(problem.filename, str):
        return ""
    import difflib

    named = Path(problem.filename)
    if any(letter in named.name for letter in "*?["):
        return f"; no file matches this pattern, or the shell would have put it here: name the folder, {named.parent}"
    try:
        beside = [each.name for each in named.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(named.name, beside, 1, 0.75)
    return f"; did you mean {named.parent / near[0]}?" if near else ""


def read_bytes(source: Source) -> bytes:
    """The file's bytes. Raises Unreadable for what is too large or may not be read."""
    if source.why:
        raise Unreadable(source.why, denied=True)
    if source.leads_out:
        raise Unreadable("is a link out of the tree in which it lies", binary=True)
    if source.data is not None:
        return _limited(source.data)
    try:
        if source.shown == STDIN:
            return _limited(sys.stdin.buffer.read(LIMIT_OF_A_PLAN + 1))
        if source.path.exists() and not _has_an_end(source.path):
            raise Unreadable("is a pipe or a device, not a file", binary=True)
        return _limited(_at_rest(source.path))
    except OSError as problem:
        raise Unreadable(_why(problem), denied=problem.errno != errno.ENOENT) from None


def _at_rest(path: Path) -> bytes:
    """Half of what somebody is writing would be judged as if it were the whole."""
    for _ in range(ATTEMPTS):
        with path.open("rb") as file:
            before = os.fstat(file.fileno())
            data = file.read(LIMIT + 1)
            if len(data) > LIMIT and _A_PLAN.match(data):
                data += file.read(LIMIT_OF_A_PLAN + 1 - len(data))
            after = os.fstat(file.fileno())
        at_rest = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
        if at_rest or not stat.S_ISREG(before.st_mode):
            return data
    raise Unreadable("changes while it is read", denied=True)


def _has_an_end(path: Path) -> bool:
    """A pipe that nobody writes to, or a device, may never end. What the shell opens (`<(command)`) has a writer."""
    return path.is_file() or path.is_dir() or str(path).startswith(OPENED)


def _limited(data: bytes) -> bytes:
    limit = LIMIT_OF_A_PLAN if _A_PLAN.match(data) else LIMIT
    if len(data) > limit:
        raise _too_large(limit)
    if b"\0" not in data and holds_long_number(data):
        is_markup = data.lstrip()[:1] == b"<"  # a drawing, a map of a game: what holds such numbers by right
        raise Unreadable(f"holds {TOO_MANY_DIGITS}, which no program takes", binary=is_markup, denied=not is_markup)
    return data


def _too_large(limit: int) -> Unreadable:
    return Unreadable(f"is larger than {limit // 1024 // 1024} MiB, the most that is read of a file")


def any_text(data: bytes) -> str:
    """The bytes as text, whatever they are."""
    return data.decode("utf-8", "replace")


def as_text(data: bytes) -> str:
    """The bytes as UTF-8 text, without a byte order mark."""
    if encoding := other_encoding(data):
        raise Unreadable(f"is {encoding}; save it as UTF-8")
    if b"\x00" in data[:8192]:
        raise Unreadable("is binary, not text", binary=True)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise Unreadable(f"is not UTF-8 (line {line}, byte 0x{data[problem.start]:02x})", binary=True) from None
