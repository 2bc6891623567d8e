"""The files that a file names: a release's values, a chart's lock. Read where they lie, and told to whoever asks."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.collect.source.files import STDIN, Source, Unreadable, as_text, read_bytes
from nodeworthy.collect.source.stack_files import upwards
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# How many files of a folder are looked into for an object that one of them may hold.
_MOST = 64
_YAML = (".yaml", ".yml")
# Kustomize takes its file without an ending, too.
_BARE = "Kustomization"


@dataclass(frozen=True)
class Span:
    """Lines of a file: what stands there was read as a part of something else."""

    path: str
    first: int = 1
    last: int = 1 << 31

    def holds(self, place: Place) -> bool:
        return place.path == self.path and self.first <= (place.line or 1) <= self.last


@dataclass
class FilesBeside:
    """Around one file. What was asked for counts, whether it is there or not: another run has to ask again."""

    source: Source
    asked: list[Path] = field(default_factory=list)
    read: list[Span] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    # What it names there is not read.
    out_of_the_tree: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return Path(os.path.abspath(self.source.path)).parent

    @property
    def is_there(self) -> bool:
        """False for what came through a pipe: it lies in no folder."""
        return self.source.shown != STDIN

    def values(self, path: Path) -> Tree | None:
        """A values file, from now on a part of the release that names it; None where it can't be read as one."""
        documents = self.documents(path)
        if documents is None:
            return None
        place = Place(path=self.shown(path))
        self.read.append(Span(place.file))
        return documents[0] if documents else Tree({}, place)

    def text(self, path: Path) -> str | None:
        """None where it is not there, or somebody else's."""
        self.asked.append(path)
        if not self.is_there or not path.is_file() or not self._is_within(path):
            return None
        try:
            return as_text(read_bytes(Source(path, self.shown(path), False)))
        except Unreadable:
            return None

    def documents(self, path: Path) -> list[Tree] | None:
        self.asked.append(path)
        if not self.is_there or not path.is_file() or not self._is_within(path):
            return None
        name = self.shown(path)
        try:
            text = as_text(read_bytes(Source(path, name, False, data=self.source.others.get(name))))
            documents = None if "{{" in text else read_all(text, Place(path=name))
        except (Unreadable, NotYaml):
            return None
        self.texts[name] = text
        return documents

    def _is_within(self, path: Path) -> bool:
        """A file of somebody else's machine would stand in a report that others read."""
        if not self.source.reaches(path):
            self.out_of_the_tree.append(self.shown(path))
            return False
        return True

    def path(self, name: str) -> Path | None:
        """Where a file lies that is named from here. None for what is no such name."""
        return Path(os.path.normpath(self.folder / name)) if _is_name(name) else None

    def in_the_repository(self, path: str) -> Path | None:
        """A path as the repository's root has it; nobody says where that is but the file that lies there."""
        for folder in self._up_to_its_root() if _is_name(path) else ():
            self.asked.append(folder / path)
            if (folder / path).is_file():
                return folder / path
        return None

    def upwards(self) -> list[Path]:
        """The folder and those above it, to the repository's root."""
        return self._up_to_its_root() if self.is_there else []

    def _up_to_its_root(self) -> list[Path]:
        root, above = self.source.scope.root, [self.folder, *self.folder.parents]
        return above[: above.index(root) + 1] if root is not None and root in above else upwards(self.folder)

    def neighbours(self, word: str) -> list[Path]:
        """The YAML files of the same folder that hold this word."""
        if not self.is_there:
            return []
        try:
            names = sorted(each for each in os.listdir(self.folder) if each.endswith(_YAML) or each == _BARE)[:_MOST]
        except OSError:
            return []
        paths = [self.folder / name for name in names if name != self.source.path.name]
        self.asked += [self.folder, *paths]
        return [path for path in paths if _holds(path, word.encode()) and self.source.reaches(path)]

    def below(self, name: str) -> list[Path]:
        """The YAML files of a folder that lies beside it, in the order of their names."""
        folder = self.folder / name
        self.asked.append(folder)
        try:
            return [folder / each for each in sorted(os.listdir(folder)) if each.endswith(_YAML)]
        except OSError:
            return []

    def shown(self, path: Path) -> str:
        """The name of a file as the file that names it is shown: a reader looks for both in one place."""
        return str(path) if Path(self.source.shown).is_absolute() else os.path.relpath(path)


def _is_name(name: str) -> bool:
    return bool(name) and "://" not in name and "\0" not in name and not name.startswith("/")


def _holds(path: Path, word: bytes) -> bool:
    try:
        return path.is_file() and word in read_bytes(Source(path, str(path), False))
    except Unreadable:
        return False
