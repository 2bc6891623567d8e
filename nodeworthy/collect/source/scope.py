"""What may be looked at as evidence about a file: the files of its scope, few and small enough to be read in passing.

    scope = source.scope                      # of a `Source`; one for each root in a run
    scope.root                                # None for what comes through a pipe
    scope.holding(_CILIUM, suffixes=_YAML)    # the files in which this stands, with their bytes
    scope.references_to(path)                 # the lines that name this file
    scope.incomplete                          # why not everything was looked at, "" where it was

The scope of a file follows from where it lies (`root_of`), never from how the command was called; only of what lies in
no project at all a folder that was named is one. Nothing is read before somebody asks, and each question is answered
once in a run. What is evidence is not judged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nodeworthy.collect.source.stack_files import root_of
from nodeworthy.documents.files import REPOSITORY, holds
from nodeworthy.facts.surroundings import Held, Reference
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

if TYPE_CHECKING:
    from nodeworthy.collect.source.evidence import KeptEvidence
    from nodeworthy.collect.source.included_tasks import Plays
    from nodeworthy.collect.source.role_variables import Variables
    from nodeworthy.collect.source.terraform import TerraformRoot
    from nodeworthy.settings.model import Excluded

# Folders that hold no change of the user's own.
LEFT_OUT = {".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".terraform", ".tox", ".mypy_cache"}
# Repositories of more files and bytes are looked at in part, those nearest to the root first.
MOST_FILES = 20_000
MOST_BYTES = 64 * 1024 * 1024
# Whatever is longer was written by a program.
LARGEST = 512 * 1024
# Of them so much is kept for whoever asks again.
MOST_KEPT = 4 * 1024 * 1024
# What names files of ours by their names.
_REFERRING = (
    *(".tf", ".tofu", ".hcl", ".json", ".yaml", ".yml", ".py", ".ts", ".js", ".go", ".sh", ".bash", ".j2", ".tpl"),
    *(".tftpl", ".tfvars", ".toml", ".mk", ".pkr", ".cs", ".java", ".rb", ".template", ".dockerfile", ".bats", ""),
)
_REFERRING_NAMES = ("Dockerfile", "Containerfile", "Makefile", "Vagrantfile", "Justfile", "justfile", "Taskfile.yml")


@dataclass
class Kept:
    """What was read of files in one run: of one that stands among few others everybody asks again."""

    _texts: dict[str, bytes | None] = field(default_factory=dict)
    _left: int = MOST_KEPT

    def read(self, path: str) -> bytes | None:
        if path in self._texts:
            return self._texts[path]
        data = _bytes_of(path)
        size = len(data) if data is not None else 0
        if size <= self._left:
            self._left -= size
            self._texts[path] = data
        return data

    def forget(self) -> None:
        self._texts.clear()
        self._left = MOST_KEPT


def _bytes_of(path: str) -> bytes | None:
    try:
        # Of thousands of files: as many bytes are made room for as there are.
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.read() if os.fstat(file.fileno()).st_size <= LARGEST else None
    except OSError:
        return None


@dataclass
class Scope:
    """The files below one root. Asked for in order: those nearest to the root first, each folder's by their names."""

    root: Path | None
    incomplete: str = ""
    # What the settings leave out.
    excluded: Sequence[Excluded] = ()
    # Somebody named this folder, and with it all that lies below.
    is_named: bool = False
    # The same of what was listed alone: files whose names nobody has seen.
    unlisted: str = ""
    # What was found out of all of them once, for whoever asks again.
    remembered: dict[str, Any] = field(default_factory=dict)
    # The variables of Ansible in them, once somebody has asked.
    variables: Variables | None = None
    _read_of: set[str] = field(default_factory=set)
    _paths: list[str] | None = None
    _by_name: dict[str, list[str]] | None = None
    _held: dict[tuple[bytes, int, tuple[str, ...]], list[str]] = field(default_factory=dict)
    # By the last part of a name: which file has it, and where.
    _named: dict[str, list[tuple[str, Named]]] | None = None
    _kept: Kept = field(default_factory=Kept)

    @property
    def asked(self) -> Iterator[Path]:
        """What was looked at, for whoever keeps an answer until something changes."""
        return map(Path, self._read_of)

    def looked_for(self, paths: Iterable[Path]) -> None:
        """Files of it that somebody looked for by himself."""
        self._read_of.update(map(os.fspath, paths))

    def files(self, suffixes: Sequence[str] = ()) -> Iterator[Path]:
        """All of them, or those with one of these endings ("" for names without one)."""
        for path in self._listed():
            if not suffixes or _suffix(path) in suffixes:
                yield Path(path)

    def names(self) -> Sequence[str]:
        """The same as text: to make a `Path` of each of thousands takes longer than to look into them."""
        return self._listed()

    def names_of_folder(self) -> Sequence[str]:
        """The files that lie in the root itself."""
        if self.root is None:
            return ()
        self._read_of.add(os.fspath(self.root))
        return _inside(os.fspath(self.root))[0]

    def holding(
        self, mark: re.Pattern[bytes], suffixes: Sequence[str] = (), words: Sequence[bytes] = ()
    ) -> Iterator[Held]:
        """The files in which this stands. Which ones is found out once in a run; their bytes are read anew."""
        key = (mark.pattern, mark.flags, tuple(suffixes))
        if key not in self._held:
            # Kept when it is whole: who looks may be stopped on the way.
            self._held[key] = [
                path
                for path, data in self._texts(suffixes)
                if (not words or any(each in data for each in words)) and mark.search(data)
            ]
        yield from (Held(Path(path), data) for path in self._held[key] if (data := self.read_listed(path)) is not None)

    def called(self, name: str) -> list[Path]:
        """The files of this name, wherever they lie in it."""
        if self._by_name is None:
            by_name: dict[str, list[str]] = {}
            for path in self._listed():
                by_name.setdefault(path.rpartition("/")[2], []).append(path)
            self._by_name = by_name
        return [Path(each) for each in self._by_name.get(name, ())]

    def read(self, path: Path) -> bytes | None:
        """None where it does not lie in the scope, is too long, or can't be read."""
        return self.read_listed(os.fspath(path)) if self.root is not None and path.is_relative_to(self.root) else None

    def references_to(self, path: Path) -> list[Reference]:
        """Where this file is named, in files of the scope other than itself: by a path that may be its own."""
        if self._named is None:
            self._named = self._names()
        own = os.path.realpath(path)
        found = (
            Reference(Path(lies), each.line, each.name, each.offset) for lies, each in self._named.get(path.name, ())
        )
        return [each for each in found if _may_mean(each, own)]

    def folders_of(self, path: Path) -> list[str]:
        """The names of the folders in which it lies, the nearest first, below the root."""
        folder = Path(os.path.abspath(path)).parent
        if self.root is None or not folder.is_relative_to(self.root):
            return []
        return [each.lower() for each in reversed(folder.relative_to(self.root).parts)]

    def _names(self) -> dict[str, list[tuple[str, Named]]]:
        found: dict[str, list[tuple[str, Named]]] = {}
        for path, data in self._texts(_REFERRING):
            for named in names_in(data):
                found.setdefault(named.name.rpartition("/")[2], []).append((path, named))
        return found

    def _texts(self, suffixes: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        left = MOST_BYTES
        for path in self._listed():
            if suffixes and _suffix(path) not in suffixes and not _is_called(path, suffixes):
                continue
            data = self.read_listed(path)
            if data is None:
                continue
            left -= len(data)
            if left < 0:
                self.incomplete = f"{self.root} holds more than {MOST_BYTES >> 20} MiB, the most that is looked through"
                return
            yield path, data

    def read_listed(self, path: str) -> bytes | None:
        """The same of a file that is known to lie in it."""
        self._read_of.add(path)
        return self._kept.read(path)

    def _listed(self) -> list[str]:
        if self._paths is None:
            self._paths = self._list()
        return self._paths

    def _list(self) -> list[str]:
        """Those that are set aside come last, as many as there is room for; nobody misses the others."""
        if self.root is None:
            return []
        found, aside = self._below([os.fspath(self.root)], MOST_FILES)
        if len(found) > MOST_FILES:
            self.unlisted = f"{self.root} holds more than {MOST_FILES:,} files, the most that is looked at"
            self.incomplete = self.unlisted
        elif aside:
            found += self._below(aside, MOST_FILES - len(found), all_of_it=True)[0]
        return found[:MOST_FILES]

    def _below(self, level: list[str], most: int, *, all_of_it: bool = False) -> tuple[list[str], list[str]]:
        """The files below these folders, some too many where there are more, and the folders to be set aside."""
        found: list[str] = []
        set_aside: list[str] = []
        excluded = list(self.excluded)
        while level and len(found) <= most:
            below: list[str] = []
            for folder in level:
                self._read_of.add(folder)
                files, folders = _inside(folder)
                found += files
                if not all_of_it and (excluded or f"{folder}/.gitignore" in files):
                    from nodeworthy.collect.source.set_aside import divide_folders

                    folders, aside = divide_folders(folder, files, folders, excluded)
                    set_aside += aside
                below += folders
                if len(found) > most:
                    break
            level = below
        return found, set_aside


@dataclass(frozen=True)
class SeenElsewhere:
    """What another process looked at in the scopes of a run, and of which roots not all: why."""

    asked: tuple[str, ...]
    incomplete: dict[str, str]


@dataclass
class Scopes:
    """The scopes of one run: each root is listed once."""

    _by_folder: dict[str, Scope] = field(default_factory=dict)
    _by_root: dict[str, Scope] = field(default_factory=dict)
    # Roots of Terraform by their folders, opened once (`terraform`).
    roots: dict[str, TerraformRoot] = field(default_factory=dict)
    # Of each folder that is a part of some, the first of them.
    parts: dict[str, TerraformRoot] = field(default_factory=dict)
    # By the folder that was named, the folders below it that are called as modules, each with one that calls it.
    callers: dict[str, dict[str, str]] = field(default_factory=dict)
    # Files of their variables that somebody named, the last word last.
    var_files: Sequence[str] = ()
    # The folders that somebody named, by their absolute paths.
    named: Sequence[str] = ()
    # Of each root, which tasks of Ansible include which.
    plays: dict[str, Plays] = field(default_factory=dict)
    # The stack of a program in YAML that somebody named: its config alone counts.
    stack: str | None = None
    # What the settings of the run leave out.
    excluded: Sequence[Excluded] = ()
    # What was read of files that nobody judges, for whoever looks again and again; None where each is read once.
    evidence: dict[tuple[str, str], KeptEvidence] | None = None
    _kept: Kept = field(default_factory=Kept)
    _asked_elsewhere: set[str] = field(default_factory=set)

    def of(self, folder: Path | None) -> Scope:
        """The scope of the files of this folder; without one, of what lies nowhere."""
        if folder is None:
            return Scope(None, "what comes through a pipe lies nowhere, so nothing beside it could be looked at")
        absolute = os.path.abspath(folder)
        if absolute not in self._by_folder:
            root = self._root_of(Path(absolute))
            self._by_folder[absolute] = self._by_root.setdefault(os.fspath(root), self._scope(root))
        return self._by_folder[absolute]

    def _root_of(self, folder: Path) -> Path:
        """Outside of any repository, whoever names a folder says that what lies below it belongs together: a project
        in a part of it (a chart, a makefile) is as much a part there as it is in a repository."""
        root = root_of(folder)
        if holds(os.fspath(root), REPOSITORY):
            return root
        return next((Path(each) for each in self.named if root.is_relative_to(each)), root)

    def anew(self) -> Scopes:
        """The scopes for the next look at the same files. What was listed and found around them stays, as does what was
        read of files that stand alone; what was opened goes, for its text may have changed."""
        self._kept.forget()
        return Scopes(
            self._by_folder,
            self._by_root,
            var_files=self.var_files,
            named=self.named,
            stack=self.stack,
            excluded=self.excluded,
            evidence=self.evidence,
            _kept=self._kept,
        )

    def below(self, folder: Path) -> Scope:
        """The files below this very folder."""
        root = os.path.abspath(folder)
        return self._by_root.setdefault(root, self._scope(Path(root)))

    def _scope(self, root: Path) -> Scope:
        is_named = os.fspath(root) in self.named
        return Scope(root, excluded=self.excluded, is_named=is_named, _kept=self._kept)

    def read(self, path: str) -> bytes | None:
        """A file by its absolute path, as the scope of its own folder reads it. Spelt out: a repository is looked
        through so, and to ask a `Path` for its folder takes longer than to read the file."""
        folder = path.rpartition(os.sep)[0]
        scope = self._by_root.get(folder) or self.below(Path(folder or os.sep))
        return scope.read_listed(path)

    @property
    def incomplete(self) -> list[str]:
        """The roots of which not everything was looked at, and why."""
        return sorted({each.incomplete for each in self._by_root.values() if each.incomplete})

    @property
    def asked(self) -> Iterator[Path]:
        for each in self._by_root.values():
            yield from each.asked
        yield from map(Path, self._asked_elsewhere)

    @property
    def seen(self) -> SeenElsewhere:
        """To be noted in another process."""
        incomplete = {root: each.incomplete for root, each in self._by_root.items() if each.incomplete}
        return SeenElsewhere(tuple(map(os.fspath, self.asked)), incomplete)

    def note(self, seen: SeenElsewhere) -> None:
        self._asked_elsewhere.update(seen.asked)
        for root, why in seen.incomplete.items():
            self.below(Path(root)).incomplete = why


def _inside(folder: str) -> tuple[list[str], list[str]]:
    """Files, and folders that may hold more; links are not followed: what they lead to lies elsewhere, or is here."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.is_file(follow_symlinks=False):
                    files.append(each.path)
                elif each.is_dir(follow_symlinks=False) and each.name not in LEFT_OUT:
                    folders.append(each.path)
    except OSError:
        return [], []
    return sorted(files), sorted(folders)


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:] if dot > 0 else ""


def _is_called(path: str, suffixes: Sequence[str]) -> bool:
    return suffixes is _REFERRING and path.rpartition("/")[2].startswith(_REFERRING_NAMES)


def _may_mean(reference: Reference, own: str) -> bool:
    """Whether the folders in the name, as far as they are written out, are those in which the file lies."""
    if os.fspath(reference.path) == own:
        return False
    written = [each for each in reference.name.split("/") if each not in ("", ".")]
    for index, each in enumerate(reversed(written)):
        if each == ".." or not _is_plain(each):
            return True
        if index >= own.count("/") or own.split("/")[-1 - index] != each:
            return index > 0 and reference.name.startswith("/")
    return True


def _is_plain(step: str) -> bool:
    return not any(mark in step for mark in ("$", "{", "%", "*"))


# The names of files that stand in a text of any language, found by their endings

_ENDINGS = pattern(
    rb"\.(?:sh|bash|tftpl|tpl|tmpl|j2|userdata|boothook|ya?ml|cfg|conf|toml|txt|gz|py|sbatch|slurm|json)(?![\w.-])"
)
# Backwards, from the ending on: the longest name of a path, and no more.
_BEFORE = pattern(rb"(?:[\w./~@%+-]|\}[\w.]{1,60}\{\$){1,255}")


@dataclass(frozen=True)
class Named:
    name: str
    line: int
    offset: int


def names_in(data: bytes) -> Iterator[Named]:
    """Each with its line; a name is at most 255 bytes long."""
    line, counted = 1, 0
    for ending in _ENDINGS.finditer(data):
        begins = ending.start()
        before = _BEFORE.match(data[max(0, begins - 255) : begins][::-1])
        if before is None:
            continue
        offset = begins - before.end()
        line += data.count(b"\n", counted, offset)
        counted = offset
        yield Named(data[offset : ending.end()].decode("utf-8", "replace"), line, offset)
