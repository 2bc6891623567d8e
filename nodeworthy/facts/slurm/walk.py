"""Walks a job script, and notes every command with what the shell has made of its words and its environment."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain

from nodeworthy.boot.commands.call import is_rooted
from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage, Writes
from nodeworthy.boot.origin import Origin, Straight
from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.questions import Questions
from nodeworthy.boot.shell.state import Gone, Journal, State, Value
from nodeworthy.boot.shell.syntax import (
    Arithmetic,
    Assignment,
    Broken,
    Command,
    Declaration,
    Group,
    Parameter,
    Statement,
    Substitution,
)
from nodeworthy.boot.shell.templates import looks_like_braces
from nodeworthy.boot.shell.tests import Tests
from nodeworthy.boot.shell.walker import Walker
from nodeworthy.boot.shell.words import Expander, separators, split
from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.slurm.ran import FILLED, HOME, STARTS, Exported, Ran, Reckoned, Walked, path_in_words
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# The variables that say where programs keep their caches.

# Any of these that points into $HOME is a fault, whoever reads it.
KNOWN = (
    "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_DATASETS_CACHE", "TRANSFORMERS_CACHE", "VLLM_CACHE_ROOT",
    "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "TORCH_HOME", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR",
    "CUDA_CACHE_PATH", "PIP_CACHE_DIR", "UV_CACHE_DIR", "APPTAINER_CACHEDIR", "SINGULARITY_CACHEDIR", "WANDB_CACHE_DIR",
)  # fmt: skip


# What is known of a job's own arguments: nothing, for whoever submits it gives them.

GIVEN = "whoever submits the job gives it"
_DEFAULTS = (":-", "-", ":=", "=", ":?", "?")


class JobExpander(Expander):
    """`$1` is not known, and `${1:-train.py}` is train.py unless somebody says otherwise."""

    def _parameter(self, part: Parameter) -> Text:
        if self._is_argument(part) and part.operator not in _DEFAULTS:
            return Text((Hole(part.raw, GIVEN),))
        return super()._parameter(part)

    def _is_argument(self, part: Parameter) -> bool:
        """Whether it is an argument of the script itself: within a function, arguments are those of its call."""
        is_one = part.name in ("@", "*") or (part.name.isdigit() and part.name != "0")
        return is_one and self.state.variables.get("@") is None


# A launch behind a variable that differs by branch: `if …; then RUN="srun torchrun"; else RUN=python; fi; $RUN x`.

# More ways than these are not told apart.
MOST = 4


@dataclass
class Choices:
    """The values that each variable is given, each with its conditions."""

    state: State
    given: dict[str, list[tuple[Guard, Value]]] = field(default_factory=dict)

    def set(self, name: str, value: Value, guard: Guard) -> None:
        values = self.given.setdefault(name, [])
        values[:] = [each for each in values if each[0] != guard]
        # What was given before holds no more, whichever way led here.
        if not guard:
            values.clear()
        if len(values) <= MOST:
            values.append((guard, value))

    def of(
        self, words: Sequence[Text], expand: Callable[[], tuple[Text, ...]]
    ) -> Iterator[tuple[Guard, tuple[Text, ...]]]:
        """The words on each of the branches that decide them; nothing where none does."""
        names = [name for name in self._differing(words) if 1 < len(self.given.get(name, ())) <= MOST]
        guards = list(dict.fromkeys(guard for name in names for guard, _ in self.given[name]))
        if not names or len(guards) > MOST:
            return
        for guard in guards:
            mark = self.state.mark()
            for name in names:
                self._take(name, guard)
            chosen = tuple(self._filled(expand(), names))
            self.state.back_to(mark)
            if chosen:
                yield guard, chosen

    def _differing(self, words: Sequence[Text]) -> list[str]:
        shown = dict.fromkeys(hole.shown for word in words for hole in word.holes if hole.why.startswith(DEPENDS))
        return [each.strip("${}") for each in shown]

    def _filled(self, words: Sequence[Text], names: Sequence[str]) -> Iterator[Text]:
        """What another variable has kept of it: `CMD="$LAUNCHER train.py"` is not given anew."""
        held = {f"${name}": value for name in names if isinstance(value := self.state.variables.get(name), Text)}
        for index, word in enumerate(words):
            if not any(hole.shown in held for hole in word.holes):
                yield word
                continue
            pieces = (held[each.shown].pieces if isinstance(each, Hole) and each.shown in held else (each,)
                      for each in word.pieces)  # fmt: skip
            whole = Text.of(*(piece for some in pieces for piece in some))
            is_text = index > 0 and words[index - 1].string.startswith("-") and " " in word.shown()
            yield from [whole] if is_text else split(whole, separators(self.state))

    def _take(self, name: str, guard: Guard) -> None:
        """What it holds on this branch: what it was given there, or before."""
        here = [value for where, value in self.given[name] if where == guard[: len(where)]]
        if here:
            self.state.variables[name] = here[-1]


DEPENDS = "its value depends on "


# What is exported at each moment of a job script: kept by what changes, for thousands of commands may ask for it.


@dataclass
class Exports:
    """The values of each name, and since when it has each; None where it is exported no more."""

    moment: int = 0
    since: dict[str, list[int]] = field(default_factory=dict)
    values: dict[str, list[Text | None]] = field(default_factory=dict)

    def note(self, name: str, value: Text | None) -> None:
        values = self.values.setdefault(name, [])
        if value is None and not values:
            return
        self.moment += 1
        self.since.setdefault(name, []).append(self.moment)
        values.append(value)

    def at(self, name: str, moment: int) -> Text | None:
        found = bisect_right(self.since.get(name, ()), moment)
        return self.values[name][found - 1] if found else None


class Environment(Mapping[str, Text]):
    """The environment as a command finds it: what is exported by then, and what stands before the command itself."""

    __slots__ = ("_exports", "_moment", "_own")

    def __init__(self, exports: Exports, own: Mapping[str, Text]) -> None:
        self._exports, self._moment, self._own = exports, exports.moment, own

    def __getitem__(self, name: str) -> Text:
        value = self._own.get(name)
        if value is None:
            value = self._exports.at(name, self._moment)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        exported = (name for name in self._exports.values if self._exports.at(name, self._moment) is not None)
        yield from dict.fromkeys((*exported, *self._own))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class NotingVariables(Journal[str, Value]):
    """Variables that note which of them were changed, until somebody asks."""

    def __init__(self) -> None:
        super().__init__()
        self.touched: set[str] = set()

    def __setitem__(self, key: str, value: Value) -> None:
        self.touched.add(key)
        super().__setitem__(key, value)

    def remove(self, key: str) -> None:
        self.touched.add(key)
        super().remove(key)

    def lay(self, values: Mapping[str, Value | None]) -> None:
        self.touched.update(values)
        super().lay(values)

    def back_to(self, mark: int) -> dict[str, Value | Gone]:
        changed = super().back_to(mark)
        self.touched.update(changed)
        return changed


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
        self.shells: tuple[int, ...] = ()
        self.count_of_shells = 0
        self.choices = Choices(self.state)

    @property
    def variables(self) -> NotingVariables:
        assert isinstance(self.state.variables, NotingVariables)
        return self.state.variables

    def substitute(self, part: Substitution) -> Content | None:
        with self._in_its_own_shell():
            return super().substitute(part)

    @contextmanager
    def _in_its_own_shell(self) -> Iterator[None]:
        outer, self.count_of_shells = self.shells, self.count_of_shells + 1
        self.shells = (*outer, self.count_of_shells)
        try:
            yield
        finally:
            self.shells = outer

    def run(self, statement: Statement) -> bool | None:
        is_shell = isinstance(statement, Group) and statement.subshell
        with self._in_its_own_shell() if is_shell else nullcontext():
            return self._run(statement)

    def _run(self, statement: Statement) -> bool | None:
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
            self.detached, stdin, places, self.shells,
        )  # fmt: skip
        self.seen.ran.append(ran)

    def _looked_at(self, words: Sequence[Text]) -> None:
        name, behind = words[0].known, [each.shown() for each in words[1:]]
        if name in ("source", ".") and behind:
            path = words[1].known
            read = path is not None and self.state.files.get(_absolute(self.state.folder, path)) is not None
            if not read and not _USUAL.search(behind[0]):
                self.seen.sourced.append(path_in_words(words[1]))
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


def walk_script(
    text: str,
    place: Place,
    given: Mapping[str, Text],
    files: Mapping[str, tuple[str, str]],
    folder: str | None = HOME,
) -> Walked:
    """`files`: the shell scripts beside it, by their relative paths: where each lies, and what stands in it."""
    state = _state(folder, given, files)
    state.variables["#"] = Text((Hole("$#", GIVEN),))
    jinja = looks_like_braces(text, place.file)
    return _walk(JobWalker(Straight(place), state, text, {*given}), text, jinja=jinja)


def walk_inner_script(
    text: str, origin: Origin, outer: Ran, given: Mapping[str, Text], files: Mapping[str, tuple[str, str]]
) -> Walked:
    """A script that each task runs by itself: `srun bash -c '…'`."""
    environment = {**{name: fill_value(value) for name, value in outer.environment.items()}, **given}
    walker = JobWalker(origin, _state(outer.folder, environment, files), text, {*environment})
    walker.guard, walker.detached = outer.guard, outer.background
    walker.seen.places = dict(outer.places)
    return _walk(walker, text)


def fill_value(value: Text) -> Text:
    """What the batch script exports is the same for all tasks, whatever it was worked out of."""
    if value.known is not None:
        return value
    return Text.of(*(each if isinstance(each, str) or each.why.startswith(FILLED) else
                     Hole(each.shown, f"{FILLED}{each.why}") for each in value.pieces))  # fmt: skip


def _state(folder: str | None, variables: Mapping[str, Text], files: Mapping[str, tuple[str, str]]) -> State:
    state = State(variables=NotingVariables(), folder=folder)
    for name, value in variables.items():
        state.variables[name] = value
    for name, (path, content) in files.items():
        rows = enumerate(content.splitlines(), start=1)
        lines = tuple(Line(Text.of(row), Place(path=path, line=number, column=1)) for number, row in rows)
        state.files[f"{HOME}/{name}"] = Content(lines)
    return state


def _walk(walker: JobWalker, text: str, *, jinja: bool = False) -> Walked:
    walker.run_all(parse(text, jinja=jinja).statements)
    for name in walker.exported:
        value = walker.state.variables.get(name)
        if isinstance(value, Text):
            walker.seen.final[name] = value
    walker.seen.made.update(each.path.shown() for each in walker.effects if isinstance(each, Writes))
    written = [each for each in walker.effects if isinstance(each, Writes)]
    walker.seen.texts += [(each.path.shown(), each.whole) for each in written if each.whole is not None]
    walker.end()
    return walker.seen
