"""What a shell knows while it runs a script: variables, functions, options, and the files that it has made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.syntax import Function
from nodeworthy.boot.text import EMPTY, Hole, Piece, Text
from nodeworthy.records import dataclass, field

# How long a value may grow before it is followed no further: `A="$A$A"` doubles with every line.

# More than any script means, in letters, in parts of one text, and in the elements of an array.
LETTERS, PIECES, ELEMENTS = 64 * 1024, 100, 150
WHY = "it grows longer than is followed here"
# So many values of one variable are told apart.
MOST_CHOICES = 4


def letters(pieces: Sequence[Piece]) -> int:
    if len(pieces) == 1:
        only = pieces[0]
        return len(only) if isinstance(only, str) else 0
    return sum([len(piece) for piece in pieces if isinstance(piece, str)])


def cut_to_limit(name: str, value: Text | tuple[Text, ...]) -> Text | tuple[Text, ...]:
    """The value of a variable; a hole where it has grown too long."""
    if isinstance(value, tuple):
        return value if len(value) <= ELEMENTS else Text((Hole(f"${name}", WHY),))
    if len(value.pieces) <= PIECES and letters(value.pieces) <= LETTERS:
        return value
    return Text((Hole(f"${name}", WHY),))


# A mapping that remembers what was changed, so that the branches of a script can be walked one after another.

K = TypeVar("K")
V = TypeVar("V")


class Gone(Enum):
    """There is no value."""

    GONE = "gone"


GONE = Gone.GONE


class Journal(Generic[K, V]):
    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._changes: list[tuple[K, V | Gone]] = []

    def get(self, key: K) -> V | None:
        return self._values.get(key)

    def held(self, keys: Iterable[K]) -> dict[K, V | None]:
        """What each of these holds now."""
        get = self._values.get
        return {key: get(key) for key in keys}

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __setitem__(self, key: K, value: V) -> None:
        self._changes.append((key, self._values.get(key, GONE)))
        self._values[key] = value

    def remove(self, key: K) -> None:
        if key in self._values:
            self._changes.append((key, self._values.pop(key)))

    def lay(self, values: Mapping[K, V | None]) -> None:
        """Each of these; what is None is there no more."""
        now, changes = self._values, self._changes
        for key, value in values.items():
            if value is not None:
                changes.append((key, now.get(key, GONE)))
                now[key] = value
            elif key in now:
                changes.append((key, now.pop(key)))

    def take(self, other: Journal[K, V]) -> None:
        """All that another one holds."""
        for key, value in other._values.items():
            self[key] = value

    def mark(self) -> int:
        return len(self._changes)

    def changed_since(self, mark: int) -> set[K]:
        return {key for key, _ in self._changes[mark:]}

    def back_to(self, mark: int) -> dict[K, V | Gone]:
        """Undoes every change since the mark, and says what they had come to."""
        changed: dict[K, V | Gone] = {}
        while len(self._changes) > mark:
            key, old = self._changes.pop()
            changed.setdefault(key, self._values.get(key, GONE))
            if isinstance(old, Gone):
                self._values.pop(key, None)
            else:
                self._values[key] = old
        return changed

    def join(
        self, branches: Sequence[dict[K, V | Gone]], differing: Callable[[K, Sequence[V | Gone]], V | Gone]
    ) -> None:
        """Lays over what several branches came to: what is the same in all of them, and else what `differing` says."""
        names = dict.fromkeys(name for branch in branches for name in branch)
        for name in names:
            now = self._values.get(name, GONE)
            values = [branch.get(name, now) for branch in branches]
            joined = values[0] if all(value == values[0] for value in values) else differing(name, values)
            if isinstance(joined, Gone):
                self.remove(name)
            else:
                self[name] = joined


# A variable's value: a text, or the elements of an array.
Value: TypeAlias = "Text | tuple[Text, ...]"


class Uncounted(tuple[Text, ...]):
    """The elements of an array of which one may be any number of them: `NODES=($(scontrol show hostnames …))`."""

    __slots__ = ()


# What cloud-init's scripts find set: they run as root, with no arguments. HOME and USER are not.
GIVEN = {"EUID": "0", "UID": "0", "SHELL": "/bin/bash", "#": "0", "IFS": " \t\n"}


Branch: TypeAlias = "tuple[dict[str, Value | Gone], dict[str, Content | Gone | None]]"


# A link to a link to a link: as many as Linux follows.
MOST_LINKS = 40


@dataclass
class Options:
    errexit: bool = False
    pipefail: bool = False
    # `trap … ERR`, or an EXIT trap that looks at the exit code: what fails is told.
    reports: bool = False
    # A library was sourced that was not read: it may have said `set -e`.
    is_doubtful: bool = False

    def copy(self) -> Options:
        return Options(self.errexit, self.pipefail, self.reports, self.is_doubtful)


@dataclass(frozen=True)
class Defined:
    """A function, in which case the name stands for it, and the text in which its lines are counted."""

    guard: Guard
    function: Function
    origin: Origin


@dataclass
class State:
    variables: Journal[str, Value] = field(default_factory=Journal)
    # The whole content of files that the script has made; None where it made one and what stands in it is not sure.
    files: Journal[str, Content | None] = field(default_factory=Journal)
    functions: dict[str, Function] = field(default_factory=dict)
    # Of each name every function that it may stand for, and in which case; the last ones win.
    defined: dict[str, tuple[Defined, ...]] = field(default_factory=dict)
    # Whether any of them was called.
    has_called: bool = False
    options: Options = field(default_factory=Options)
    folder: str | None = "/"
    # For `cd -` and `popd`.
    came_from: str | None = None
    folders: list[str | None] = field(default_factory=list)
    # How many names `mktemp` gave.
    made_up: int = 0
    # Links that the script made, and where they lead.
    links: dict[str, str] = field(default_factory=dict)
    # How often each variable and file was changed: an equal question has an equal answer only in between.
    versions: dict[str, int] = field(default_factory=dict)
    # A file that was sourced and could not be read: it may have set anything.
    sourced: str = ""
    # Every variable that was asked for, and those that nobody had set then, or set to nothing.
    asked: set[str] = field(default_factory=set)
    wanting: set[str] = field(default_factory=set)
    # What whoever runs the script gives: it stays where the script itself sets nothing (`NODE=${NODE:-}`, `NODE=""`).
    given: Mapping[str, Value] = field(default_factory=dict["str", "Value"])

    def set(self, name: str, value: Value) -> None:
        self._touched(f"${name}")
        given = self.given.get(name) if value == EMPTY else None
        self.variables[name] = cut_to_limit(name, value) if given is None else given

    def unset(self, name: str) -> None:
        self._touched(f"${name}")
        self.variables.remove(name)

    def value(self, name: str) -> Value | None:
        """None where nobody has set it."""
        self.asked.add(name)
        value = self.variables.get(name)
        if value is None and name in GIVEN:
            return Text.of(GIVEN[name])
        if value is None or value == EMPTY:
            self.wanting.add(name)
        return value

    def wrote(self, path: str, content: Content | None) -> None:
        self._touched(path)
        self.files[path] = content

    def removed(self, path: str) -> None:
        self._touched(path)
        self.files.remove(path)

    def _touched(self, called: str) -> None:
        self.versions[called] = self.versions.get(called, 0) + 1

    def content(self, path: Text) -> Content | None:
        return self.files.get(self.behind(path.known)) if path.known is not None else None

    def behind(self, path: str) -> str:
        """The file that is meant: a link leads elsewhere."""
        for _ in range(MOST_LINKS):
            if path not in self.links:
                break
            path = self.links[path]
        return path

    def mark(self) -> tuple[int, int]:
        return self.variables.mark(), self.files.mark()

    def back_to(self, mark: tuple[int, int]) -> Branch:
        return self.variables.back_to(mark[0]), self.files.back_to(mark[1])

    def join(self, branches: list[Branch], decided_by: str) -> None:
        """Goes on behind branches of which one was taken, nobody knows which."""
        if not any(variables or files for variables, files in branches):
            return
        why = f"its value depends on {decided_by}"
        self.variables.join(
            [each[0] for each in branches], lambda name, values: Text((Hole(f"${name}", why, _one_of(values)),))
        )
        self.files.join([each[1] for each in branches], lambda *_: None)


def _one_of(values: Sequence[Value | Gone]) -> tuple[str, ...]:
    """The possible values; none where one of them is not known, or where they are too many to be told apart."""
    known = [(each.known if isinstance(each, Text) else None) or "" for each in values]
    found = tuple(dict.fromkeys(known))
    return found if all(found) and len(found) <= MOST_CHOICES else ()


class Variables:
    """The shell's variables, as a program may ask for them."""

    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, name: str) -> Text | None:
        value = self._state.variables.get(name)
        return value if isinstance(value, Text) else None


def missing(name: str, state: State) -> Text:
    """What a variable holds that the script never sets."""
    why = f"{name} is set nowhere in this script"
    if name in ("HOME", "USER"):
        why = f"cloud-init sets no {name} for its scripts"
    if state.sourced:
        why = f"{name} may be set by {state.sourced}, which was not read"
    return Text((Hole(f"${name}", why),))
