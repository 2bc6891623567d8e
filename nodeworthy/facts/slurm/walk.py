"""Walks a job script, and notes every command with what the shell has made of its words and its environment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.paths import is_rooted
from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.questions import Questions
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.syntax import Broken, Command, Declaration, Statement
from nodeworthy.boot.shell.tests import Tests
from nodeworthy.boot.shell.walker import Walker
from nodeworthy.boot.shell.word_syntax import Arithmetic, Assignment
from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.slurm.branches import Choices
from nodeworthy.facts.slurm.cache_variables import KNOWN
from nodeworthy.facts.slurm.environment import Environment, Exports, Watched
from nodeworthy.facts.slurm.given import GIVEN, JobExpander
from nodeworthy.facts.slurm.ran import FILLED, HOME, STARTS, Exported, Ran, Reckoned, Walked, said
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

# The variables of which it is asked where they are set.
LOOKED_AFTER = ("OMP_NUM_THREADS", "TOKENIZERS_PARALLELISM", "VLLM_CACHE_DIR", *KNOWN)
# Sourced for the programs that they bring; what they set is none of a job's own settings.
_USUAL = pattern(r"bin/activate$|conda\.sh$|\.bashrc$|\.bash_profile$|\.profile$|^/etc/|^/usr/|modules?(/|\.sh|$)|lmod")
# Where people keep what is theirs: HF_HOME, for one.
_PERSONAL = pattern(r"\.(?:bashrc|bash_profile|profile|bash_login)$")
_NAME = pattern(r"\$\{?(\w+)\}?")


class JobWalker(Walker):
    def __init__(self, origin: Origin, state: State, text: str, exported: set[str] | None = None) -> None:
        super().__init__(origin, Stage.SCRIPTS, state, text)
        self.expander = JobExpander(self.state, self.substitute)
        self.questions = Questions(self.state, self.expander)
        self.tests = Tests(self.state, self.expander)
        self.exported: set[str] = exported if exported is not None else set()
        self.all_exported = False
        self.exports = Exports()
        self.seen = Walked()
        self.choices = Choices(self.state)

    @property
    def variables(self) -> Watched:
        assert isinstance(self.state.variables, Watched)
        return self.state.variables

    def run(self, statement: Statement) -> bool | None:
        if isinstance(statement, Command) and self.steps <= self.most_steps:
            self._note(statement)
        elif isinstance(statement, Broken):
            self.seen.broken.append((self.place(statement.line, statement.column), statement.text))
        elif isinstance(statement, Declaration):
            if statement.keyword == "export" or "x" in statement.options:
                self._export(statement.names, (each.name for each in statement.assignments))
                self.seen.exports.append(Exported(self.place(statement.line, statement.column), self.guard))
            self._reckoned(statement.assignments)
        result = super().run(statement)
        if isinstance(statement, Declaration) or (isinstance(statement, Command) and not statement.words):
            self._assigned(statement.assignments)
        return result

    def _note(self, command: Command) -> None:
        if not command.words:
            self._reckoned(command.assignments)
            return
        words = self._words(command)
        if not words:
            return
        self._looked_at(words)
        if words[0].known is None or STARTS.search(command.raw):
            taken = list(self.choices.of(words, lambda: self._words(command)))
        else:
            taken = []
        for guard, chosen in taken or [((), words)]:
            self._noted(command, chosen, guard)

    def _words(self, command: Command) -> tuple[Text, ...]:
        outer = self.steps
        words = tuple(self.expander.fields(command.words))
        self.steps = outer
        return words

    def _noted(self, command: Command, words: tuple[Text, ...], taken: Guard) -> None:
        held = {each.name: self.expander.text(each.value) for each in command.assignments if each.value is not None}
        place = self.place(command.line, command.column)
        environment = self._environment(held)
        # Of the few that are asked for: a script may set thousands.
        set_at = {name: at for name in LOOKED_AFTER if (at := self.seen.places.get(name)) is not None}
        places = {name: at for name, at in set_at.items() if name in environment and name not in held}
        kept = {name: at for name, at in set_at.items() if name not in environment}
        unset, stdin = frozenset(self._unset(words)), _here(self, command)
        ran = Ran(
            place, command.raw, words, environment, kept, unset, self.state.folder, (*self.guard, *taken),
            self.detached, stdin, places,
        )  # fmt: skip
        self.seen.ran.append(ran)

    def _looked_at(self, words: Sequence[Text]) -> None:
        name, behind = words[0].known, [each.shown() for each in words[1:]]
        if name in ("source", ".") and behind:
            path = words[1].known
            read = path is not None and self.state.files.get(_absolute(self.state.folder, path)) is not None
            if not read and not _USUAL.search(behind[0]):
                self.seen.sourced.append(said(words[1]))
            self.seen.personal = self.seen.personal or _PERSONAL.search(behind[0]) is not None
        elif name == "set" and any(word in ("-a", "allexport") or re.match(r"-\w*a", word) for word in behind):
            self.all_exported = True
            self.variables.touched.update(self.seen.assigned)

    def _export(self, *names: Iterable[str]) -> None:
        for name in chain(*names):
            self.exported.add(name)
            self.variables.touched.add(name)

    def _environment(self, own: Mapping[str, Text]) -> Environment:
        touched, self.variables.touched = self.variables.touched, set()
        for name in sorted(touched):
            if name in self.exported or (self.all_exported and name in self.seen.assigned):
                value = self.variables.get(name)
                self.exports.note(name, value if isinstance(value, Text) else None)
        return Environment(self.exports, own)

    def _unset(self, words: Sequence[Text]) -> Iterator[str]:
        if self.seen.sourced:
            return
        named = (found[1] for word in words for hole in word.holes if (found := _NAME.fullmatch(hole.shown)))
        yield from (name for name in named if self.state.variables.get(name) is None)

    def _reckoned(self, assignments: Sequence[Assignment]) -> None:
        for each in assignments:
            parts = each.value.parts if each.value is not None else ()
            raw = next((part.raw for part in parts if isinstance(part, Arithmetic)), "")
            if raw and each.value is not None:
                value = self.expander.text(each.value)
                self.seen.reckoned.append(Reckoned(each.name, self.place(each.line, each.column), raw, value))

    def _assigned(self, assignments: Sequence[Assignment]) -> None:
        for each in assignments:
            self.seen.assigned[each.name] = self.seen.assigned.get(each.name, 0) + 1
            self.variables.touched.add(each.name)
            self.seen.places[each.name] = self.place(each.line, each.column)
            value = self.state.variables.get(each.name)
            if value is not None:
                self.choices.set(each.name, value, self.guard)
            if isinstance(value, Text):
                self.seen.final[each.name] = value


def _here(walker: JobWalker, command: Command) -> Content | None:
    from nodeworthy.boot.shell.redirects import read_from

    if not any(each.operator in ("<<", "<<<") for each in command.redirects):
        return None
    stream = read_from(walker, command.redirects)
    return stream.content if stream is not None else None


def _absolute(folder: str | None, path: str) -> str:
    return path if is_rooted(path) else f"{folder or HOME}/{path.removeprefix('./')}"


def walked(
    text: str,
    place: Place,
    given: Mapping[str, Text],
    files: Mapping[str, tuple[str, str]],
    folder: str | None = HOME,
) -> Walked:
    """`files`: the shell scripts beside it, by their relative paths: where each lies, and what stands in it."""
    state = _state(folder, given, files)
    state.variables["#"] = Text((Hole("$#", GIVEN),))
    return _walk(JobWalker(Straight(place), state, text, {*given}), text)


def walked_inside(
    text: str, origin: Origin, outer: Ran, given: Mapping[str, Text], files: Mapping[str, tuple[str, str]]
) -> Walked:
    """A script that each task runs by itself: `srun bash -c '…'`."""
    environment = {**{name: filled(value) for name, value in outer.environment.items()}, **given}
    walker = JobWalker(origin, _state(outer.folder, environment, files), text, {*environment})
    walker.guard, walker.detached = outer.guard, outer.background
    walker.seen.places = dict(outer.places)
    return _walk(walker, text)


def filled(value: Text) -> Text:
    """What the batch script exports is the same for all tasks, whatever it was worked out of."""
    if value.known is not None:
        return value
    return Text.of(*(each if isinstance(each, str) or each.why.startswith(FILLED) else
                     Hole(each.shown, f"{FILLED}{each.why}") for each in value.pieces))  # fmt: skip


def _state(folder: str | None, variables: Mapping[str, Text], files: Mapping[str, tuple[str, str]]) -> State:
    state = State(variables=Watched(), folder=folder)
    for name, value in variables.items():
        state.variables[name] = value
    for name, (path, content) in files.items():
        rows = enumerate(content.splitlines(), start=1)
        lines = tuple(Line(Text.of(row), Place(path=path, line=number, column=1)) for number, row in rows)
        state.files[f"{HOME}/{name}"] = Content(lines)
    return state


def _walk(walker: JobWalker, text: str) -> Walked:
    walker.run_all(parse(text).statements)
    for name in walker.exported:
        value = walker.state.variables.get(name)
        if isinstance(value, Text):
            walker.seen.final[name] = value
    walker.seen.made.update(each.path.shown() for each in walker.effects if isinstance(each, Writes))
    walker.seen.texts += [each.whole for each in walker.effects if isinstance(each, Writes) and each.whole is not None]
    walker.end()
    return walker.seen
