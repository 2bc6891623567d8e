"""Finds the fleet to judge by: the one that was named, else the one beside what is checked."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.files import STDIN, Source, shown_path
from nodeworthy.collect.source.stack_files import STACK_FILE, upwards
from nodeworthy.documents.files import leads_out, tree_of
from nodeworthy.errors import InputError
from nodeworthy.fleet.model import no_fleet
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.settings.find import settings_in
from nodeworthy.verdict import ToGive

if TYPE_CHECKING:
    from nodeworthy.fleet.model import Fleet

NO_FLEET = no_fleet()
_YAML = pattern(rb"(?m)^runtime:[ \t]*(?:\n?[ \t]+name:[ \t]*|\{[ \t]*name:[ \t]*)?[\"']?yaml\b")
_GIVE_A_PIPE = "give --fleet FILE, or --stack NAME"


@dataclass(frozen=True)
class Choice:
    """The fleet to judge by, or why there is none."""

    fleet: Fleet | None
    why: str = ""


@dataclass
class Fleets:
    """Answers which fleet a file is judged by. Each folder is looked at once."""

    fleet_file: str | None = None
    stack: str | None = None
    by_settings: bool = True
    _choices: dict[Path, Choice] = field(default_factory=dict)
    # What a folder itself says: those below it ask it again, each of them.
    _said: dict[Path, Choice | None] = field(default_factory=dict)
    _read: dict[Path, Fleet] = field(default_factory=dict)

    @cached_property
    def _named(self) -> Fleet | None:
        if not self.fleet_file:
            return None
        fleet = self._fleet(Path(self.fleet_file))
        if self.stack and fleet.stack not in (None, self.stack):
            raise InputError(f"--fleet {self.fleet_file} is of stack {fleet.stack!r}, and --stack says {self.stack!r}")
        return fleet

    def asked_for(self) -> Fleet | None:
        """The fleet that was named, if any: a host or a cluster need not belong to the folder one stands in."""
        if self.fleet_file is None and self.stack is None:
            return None
        fleet = self.beside(Path.cwd()).fleet
        if fleet is not None:
            from nodeworthy.fleet.read import refuse_impossible

            refuse_impossible(fleet)
        return fleet

    def beside(self, folder: Path) -> Choice:
        if self._named is not None:
            return Choice(self._named)
        folder = Path(os.path.abspath(folder))
        if folder not in self._choices:
            self._choices[folder] = self._look(folder)
        return self._choices[folder]

    def of(self, source: Source) -> Choice:
        """The fleet by which a file is judged. What comes through a pipe lies beside none."""
        if source.shown != STDIN or self._named is not None or self.stack:
            return self.beside(Path.cwd() if source.shown == STDIN else source.path.parent)
        return Choice(None, ToGive("what comes through a pipe lies beside no fleet", _GIVE_A_PIPE))

    def _look(self, folder: Path) -> Choice:
        for above in upwards(folder):
            if above not in self._said:
                self._said[above] = self._said_in(above)
            choice = self._said[above]
            if choice is not None:
                return choice
        if self.stack:
            raise InputError(
                f"there is no stack {self.stack!r}: no Pulumi.{self.stack}.yaml beside {shown_path(folder)} has a fleet"
            )
        return Choice(None, NO_FLEET)

    def _said_in(self, folder: Path) -> Choice | None:
        settings = settings_in(folder) if self.by_settings else None
        if settings is not None and settings.fleet:
            return Choice(self._beside(folder / settings.fleet, folder))
        wanted = self.stack or (settings.stack if settings is not None else None)
        stacks = self._with_a_fleet(_stack_files(folder), wanted)
        if stacks:
            return self._choose(stacks, wanted)
        return Choice(None, NO_FLEET) if self.stack and _is_of_yaml(folder, self.stack) else None

    def _choose(self, stacks: dict[str, Path], wanted: str | None) -> Choice:
        if wanted is not None:
            if wanted not in stacks:
                raise InputError(f"there is no stack {wanted!r} with a fleet here; there are {', '.join(stacks)}")
            return Choice(self._fleet(stacks[wanted]))
        if len(stacks) > 1:
            named = ", ".join(shown_path(path) for path in stacks.values())
            return Choice(
                None, ToGive(f"several fleets could be meant ({named})", "choose one with --stack or --fleet")
            )
        return Choice(self._fleet(next(iter(stacks.values()))))

    def _with_a_fleet(self, stacks: dict[str, Path], wanted: str | None) -> dict[str, Path]:
        """The files that declare a fleet. A file of which nobody can say that ends the run, unless another one was
        chosen."""
        found: dict[str, Path] = {}
        for name, path in stacks.items():
            try:
                _refuse_out_of(path, path.parent)
                if _declares_fleet(path):
                    found[name] = path
            except InputError:
                if wanted in (None, name):
                    raise
        return found

    @property
    def files(self) -> list[Path]:
        """The fleets that were read, or asked for in vain."""
        return list(self._read)

    def _beside(self, path: Path, folder: Path) -> Fleet:
        _refuse_out_of(path, folder)
        return self._fleet(path)

    def _fleet(self, path: Path) -> Fleet:
        if path not in self._read:
            from nodeworthy.fleet.read import read_fleet_file

            self._read[path] = read_fleet_file(path, shown_path(path))
        return self._read[path]


def _is_of_yaml(folder: Path, stack: str) -> bool:
    """A stack that declares no fleet, of a program that is read as it stands: what it makes is judged by itself."""
    if stack not in _stack_files(folder):
        return False
    programs = (folder / f"Pulumi{suffix}" for suffix in (".yaml", ".yml"))
    try:
        return any(_YAML.search(each.read_bytes()) is not None for each in programs if each.is_file())
    except OSError:
        return False


def _declares_fleet(path: Path) -> bool:
    from nodeworthy.fleet.read import declares_fleet

    return declares_fleet(path, shown_path(path))


def _refuse_out_of(path: Path, folder: Path) -> None:
    """A link, or a setting, out of the tree decides nothing and is not read; whoever means it names it."""
    if leads_out(path, tree_of(folder)):
        raise InputError(
            f"{shown_path(path)}, where a fleet may be, leads out of the tree it lies in: give --fleet FILE"
        )


def _stack_files(folder: Path) -> dict[str, Path]:
    """The stacks of a folder, whatever they declare."""
    try:
        names = sorted(os.listdir(folder))
    except PermissionError as problem:
        raise InputError(f"{shown_path(folder)}, where a fleet may lie, can't be read: {problem.strerror}") from None
    except OSError:
        return {}
    return {match["stack"]: folder / name for name in names if (match := STACK_FILE.fullmatch(name))}
