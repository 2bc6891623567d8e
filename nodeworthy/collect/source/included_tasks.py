"""Lists of tasks that include others which lie beside them, read as the one list that they are when they run.

A file stands where it is included if one place of its scope names it, and that one by its whole name. Whatever is
named twice, by a variable, in a loop, or from another role is judged by itself, and whoever includes it does not know
what it does. All files of a play bring the same script: it is judged once, whichever of them somebody asks about.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.playbook import TasksFile, Whole, as_whole
from nodeworthy.boot.shell.templates import looks_like_braces
from nodeworthy.boot.unpack.parts import MOST_READ
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.collect.source.boot_scripts import is_list, is_tasks_of_a_node
from nodeworthy.collect.source.comments import comments, evidence_suppressions
from nodeworthy.collect.source.evidence import lying_beside
from nodeworthy.collect.source.files import STDIN, Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_NAMES = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.(?:builtin|legacy)\.)?(?:include|include_tasks|import_tasks|tasks_from)"
    rb"[ \t]*:[ \t]*(?:\{[^}\n]*?\bfile[ \t]*:[ \t]*|(?:#[^\n]*)?\n(?:[ \t]+[^\n]*\n){0,4}?[ \t]+file[ \t]*:[ \t]*)?"
    rb"[\"']?([\w./-]+)",
    words=(b"include", b"import_tasks", b"tasks_from"),
)
_YAML = (".yml", ".yaml")
_TASKS = "tasks"
# Nobody includes further down.
_DEEPEST = 12


@dataclass
class Play:
    """A list of tasks with those that it includes."""

    source: Source
    whole: Whole
    # Without what variables fill in; None where there are none.
    bare: Whole | None
    # Whether any of it has to do with what makes one.
    is_of_a_node: bool
    _facts: list[Fact] | None = None
    _script: BootScript | None = None

    @property
    def script(self) -> BootScript:
        if self._script is None:
            place, whole = Place(path=self.source.shown), self.whole
            unfilled = self.bare.text if self.bare is not None and self.bare.text != whole.text else ""
            part = Part(
                PartKind.PLAYBOOK,
                whole.text,
                whole.origin,
                Stage.SCRIPTS,
                name="part-001",
                jinja=True,
                unfilled=unfilled,
            )
            is_braced = any(looks_like_braces(each.text, each.path) for each in whole.files)
            read = UserData(place, (part,), is_braced=is_braced)
            self._script = BootScript(
                place, read, is_meant=False, stands_in=frozenset(self.texts), surroundings=self.source.scope
            )
        return self._script

    def contents(self, source: Source, data: bytes, rules: frozenset[str]) -> FileContents:
        """What one of its files brings; the script and what its commands do elsewhere are the same for all."""
        from nodeworthy.collect.source.script_files import facts_of_commands

        beside = FilesBeside(source)
        if self._facts is None:
            every = "\n".join(each.text for each in self.whole.files).encode()
            self._facts = facts_of_commands(self.script, every, FilesBeside(self.source))
        others = {name: text for name, text in self.texts.items() if name != source.shown}
        told = list(comments(any_text(data), Place(path=source.shown), rules, is_yaml=False))
        told += evidence_suppressions(others, rules)
        return FileContents(
            list(self._facts),
            scripts=[self.script],
            suppressions=told,
            beside=beside,
            root=os.path.dirname(self.source.lies),  # noqa: PTH120 - a path as text
            files_of_play=frozenset(self.texts),
        )

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts by the names under which they are told."""
        return {each.origin.at(1).file: each.text for each in self.whole.files}


@dataclass
class Plays:
    """The plays of one scope in one run."""

    # By the file that is included, those that name it, as often as they do.
    named_in: Mapping[str, Sequence[str]]
    _made: dict[str, Play | None] = field(default_factory=dict)

    def around(self, source: Source) -> Play | None:
        for top in reversed(self._above(source.lies)):
            if top not in self._made:
                self._made[top] = self._make(lying_beside(Path(top), source) if top != source.lies else source, source)
            play = self._made[top]
            if play is not None and source.lies in (each.path for each in play.whole.files):
                return play
        return None

    def _above(self, path: str) -> list[str]:
        """The file itself, what includes it, and so on; none where that goes round in a circle."""
        found = [path]
        while len(named := self.named_in.get(found[-1], ())) == 1 and named[0]:
            if named[0] in found or len(found) == _DEEPEST:
                return []
            found.append(named[0])
        return found

    def _make(self, top: Source, asked: Source) -> Play | None:
        first = _file(top, asked)
        if first is None:
            return None
        whole = as_whole(first, lambda file, name: self._beside(file, name, asked))
        if whole is None or len(whole.files) == 1 or sum(len(each.text) for each in whole.files) > MOST_READ:
            return None
        bare = None
        if any(each.variables for each in whole.files):
            known = {each.path: replace(each, variables={}) for each in whole.files}
            bare = as_whole(known[first.path], lambda file, name: known.get(self._path(file, name)))
        of_a_node = any(is_tasks_of_a_node(each.text.encode()) for each in whole.files)
        return Play(top, whole, bare, of_a_node)

    def _beside(self, file: TasksFile, name: str, asked: Source) -> TasksFile | None:
        path = self._path(file, name)
        return _file(lying_beside(Path(path), asked), asked) if path else None

    def _path(self, file: TasksFile, name: str) -> str:
        """Where it lies, if this is the only place that names it."""
        return next((each for each in _candidates(file.path, name) if self.named_in.get(each) == [file.path]), "")


def play_of(source: Source, data: bytes) -> Play | None:
    """The list of tasks that this file is a part of; None where it includes nothing, and nothing includes it."""
    if source.shown == STDIN or not is_list(data):
        return None
    scope = source.scope
    if scope.root is None:
        return None
    plays = source.scopes.plays
    key = os.fspath(scope.root)
    if key not in plays:
        plays[key] = Plays(_named_in(source))
    return plays[key].around(source) if not scope.incomplete else None


def _named_in(source: Source) -> dict[str, list[str]]:
    """Which files stand under several names is told by looking: a name is looked for beside the file, and in the
    folder of the role's tasks."""
    found = dict[str, list[str]]()
    there = {os.fspath(each) for each in source.scope.files(_YAML)}
    for held in source.scope.holding(_NAMES, _YAML):
        path = os.fspath(held.path)
        for each in _NAMES.finditer(held.data):
            name = each[1].decode()
            if name.endswith(_YAML):
                for lies in (one for one in _candidates(path, name) if one in there):
                    found.setdefault(lies, []).append(path)
            if b"tasks_from" in each[0]:
                for lies in (one for one in there if one.rpartition("/")[2].rpartition(".")[0] == name.split(".")[0]):
                    found.setdefault(lies, []).append("")
    return found


def _candidates(path: str, name: str) -> Sequence[str]:
    """Where a file of tasks may lie that another one names: beside it, in the folder of its role's tasks."""
    folders = [os.path.dirname(path)]  # noqa: PTH120 - of each name in thousands of files
    role = path.rpartition(f"/{_TASKS}/")
    folders += [f"{role[0]}/{_TASKS}"] if role[1] else []
    return list(dict.fromkeys(os.path.normpath(f"{each}/{name}") for each in folders))


def _file(lying: Source, asked: Source) -> TasksFile | None:
    data = asked.data if lying.lies == asked.lies and asked.data is not None else asked.others.get(lying.shown)
    data = data if data is not None else lying.scope.read(Path(lying.lies))
    if data is None or not is_list(data) or len(data) > MOST_READ:
        return None
    from nodeworthy.collect.source.role_variables import variables_around

    variables = variables_around(lying, data) if b"{{" in data else {}
    return TasksFile(lying.lies, any_text(data), Straight(Place(path=lying.shown, line=1, column=1)), variables)
