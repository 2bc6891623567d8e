"""The stack as the CLI describes it to a pack: its name and its config, with values and without positions.

Where the stack's file can be reached and says the same, its lines are the places of the fleet's values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.project import Project, find_project
from nodeworthy.collect.source.comments import comments
from nodeworthy.documents import yaml
from nodeworthy.documents.tree import Tree, plant
from nodeworthy.errors import InputError
from nodeworthy.facts.secrets.plain_text import IN_A_STACK, PlainText
from nodeworthy.fleet.model import Fleet, has_fleet
from nodeworthy.fleet.read import read_fleet
from nodeworthy.records import dataclass
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

FLEET = "nodeworthy:fleet"


@dataclass(frozen=True)
class _Written:
    """The stack's file."""

    tree: Tree
    text: str


@dataclass(frozen=True)
class Stack:
    project: str = ""
    name: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    secret_keys: frozenset[str] = frozenset()
    # Where the project may be: the pack is told of its own folder only.
    near: tuple[Path, ...] = ()

    @cached_property
    def fleet(self) -> Fleet | None:
        """The fleet of this stack. Raises InputError where it is malformed."""
        document = self._document()
        return read_fleet(document, self.name or None) if has_fleet(document) else None

    @property
    def folder(self) -> Path:
        """Where the program runs, to which its paths are relative."""
        return self._found.folder if self._found is not None else Path.cwd()

    @cached_property
    def _found(self) -> Project | None:
        for folder in self.near:
            try:
                project = find_project(folder)
            except InputError:
                continue
            if project.name == self.project:
                return project
        return None

    @property
    def file(self) -> PlainText | None:
        """The stack's own, where it can be reached: what stands there in plain words anybody reads."""
        if self._written is None:
            return None
        place = Place(path=self._written.tree.place.path)
        return PlainText(place, self._written.text, "stack config", IN_A_STACK)

    def suppressions(self, rules: Iterable[str]) -> list[Suppression]:
        """The comments of the stack's file, where its lines are the fleet's places: elsewhere they speak of nothing."""
        if self._written is None or self.fleet is None or self.fleet.place.path != self._written.tree.place.path:
            return []
        origin = Place(path=self._written.tree.place.path)
        return list(comments(self._written.text, origin, frozenset(rules), is_yaml=True))

    def _document(self) -> Tree:
        written = self._written.tree if self._written is not None else None
        config = {key: self._value(key, text, written) for key, text in self.config.items()}
        return Tree({"config": Tree(config, self._place)}, self._place)

    @property
    def _place(self) -> Place:
        """Where a value stands of which no line is known."""
        return Place(path=f"config of stack {self.name}" if self.name else "config")

    def _value(self, key: str, text: str, written: Tree | None) -> Tree:
        value = _parsed(text) if key == FLEET else text
        if written is not None:
            placed = tree_as_written(written.get("config", key), value)
            if placed is not None:
                return placed
        tree = plant(value, self._place)
        return Tree(tree.value, tree.place, secret=key in self.secret_keys)

    @cached_property
    def _written(self) -> _Written | None:
        """The stack's file, read with positions; None where it can't be found or read: then there are no positions."""
        if self._found is None:
            return None
        file = self._found.stack_file(self.name)
        try:
            text = file.read_text(encoding="utf-8-sig")
            tree = yaml.read(text, Place(path=str(file.relative_to(self._found.root))))
        except (OSError, UnicodeDecodeError, yaml.NotYaml):
            return None
        return _Written(tree, text) if tree is not None else None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text  # no structure: read_fleet says what a fleet is


def tree_as_written(written: Tree, value: Any) -> Tree | None:
    """The value at the lines where it was written; None where the file says something else than the config."""
    if set(written.mapping) == {"secure"}:
        return Tree(value, written.place, written.key, secret=True) if isinstance(value, str) else None
    if isinstance(value, Mapping):
        if not written.is_mapping or set(written.mapping) != set(value):
            return None
        return _whole(written, {name: tree_as_written(written.mapping[name], value[name]) for name in written.mapping})
    if isinstance(value, list):
        if not written.is_sequence or len(written.sequence) != len(value):
            return None
        placed = [tree_as_written(there, each) for there, each in zip(written.sequence, value, strict=True)]
        known = [each for each in placed if each is not None]
        return Tree(known, written.place, written.key) if len(known) == len(placed) else None
    return written if type(written.value) is type(value) and written.value == value else None


def _whole(written: Tree, children: Mapping[str, Tree | None]) -> Tree | None:
    known = {name: child for name, child in children.items() if child is not None}
    return Tree(known, written.place, written.key) if len(known) == len(children) else None
