"""The runtimes that files of containerd's configuration give it, and the one that they make the default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from nodeworthy.facts.boot.written_text import has_hole
from nodeworthy.facts.containerd.config import ConfigFile, Role, imported_by
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

DEFAULT = "default_runtime_name"


@dataclass(frozen=True)
class Runtimes:
    files: tuple[ConfigFile, ...]

    @cached_property
    def default(self) -> tuple[str, Place] | None:
        """The last one that is named, and where; None where none is, or only a template knows it."""
        named = [(table[DEFAULT], file) for file, table in self._tables() if isinstance(table.get(DEFAULT), str)]
        if not named or has_hole(named[-1][0]):
            return None
        return named[-1][0], named[-1][1].reading.line_of(DEFAULT)

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, Any]]:
        """Each runtime, with what all files say of it."""
        found: dict[str, dict[str, Any]] = {}
        for _, table in self._tables():
            runtimes = table.get("runtimes")
            for name, said in runtimes.items() if isinstance(runtimes, Mapping) else ():
                found.setdefault(name, {}).update(said if isinstance(said, Mapping) else {})
        return found

    @property
    def dark(self) -> str:
        """Why a file is not known whole; empty where each is."""
        return next((each.reading.unknown for each in self.files if each.reading.unknown), "")

    @property
    def unseen(self) -> str:
        """What else may give it one: a file that is not known whole, or an import that is not here."""
        if self.dark:
            return self.dark
        if any(has_hole(name) for name in self.tables):
            return "a template fills in the names of the runtimes"
        if any(each.adds_lines for each in self.files):
            return "a template adds lines to it"
        missing = next(iter(self._imports_not_here()), None)
        return f"{missing}, which is imported, is not here" if missing is not None else ""

    def _imports_not_here(self) -> Iterator[str]:
        dropped = [each for each in self.files if each.role is Role.DROP_IN]
        for root in (each for each in self.files if each.role is Role.ROOT):
            for glob in root.imports:
                if not any(imported_by(each, root, glob) for each in dropped):
                    yield glob

    def _tables(self) -> Iterator[tuple[ConfigFile, Mapping[str, Any]]]:
        for file in self.files:
            for section in file.sections.values():
                table = section.get("containerd")
                if isinstance(table, Mapping):
                    yield file, table


def runtimes_of(files: Sequence[ConfigFile]) -> Runtimes:
    return Runtimes(tuple(each for each in files if not each.reading.fault))
