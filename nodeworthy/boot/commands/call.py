"""One call of a program: its arguments, what came of it, and what it prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content, Line, lines_of
from nodeworthy.boot.effects import Effect, Failure, Runs, Stage
from nodeworthy.boot.text import EMPTY, Hole, Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# Which paths need no folder to be found: `/etc/hosts`, and what lies in the home of whoever runs the script.

_ROOTED = pattern(r"/|~[\w.-]*(?:/|\Z)")


def is_rooted(path: str) -> bool:
    """Whether a path begins at the root or at somebody's home: `/x`, `~`, `~/x`, `~ubuntu/x`. A `~` stays as it is
    written, because nobody here knows whose home it is."""
    return _ROOTED.match(path) is not None


# The arguments of a call sorted into options and operands; a word may have holes.

NONE: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Given:
    # In their order, each with its value: empty where it has none.
    options: tuple[tuple[str, Text], ...]
    operands: tuple[Text, ...]

    def has(self, *names: str) -> bool:
        return bool(self.options) and not {name for name, _ in self.options}.isdisjoint(names)

    def values(self, *names: str) -> tuple[Text, ...]:
        return tuple([value for name, value in self.options if name in names])

    def value(self, *names: str) -> Text | None:
        """The last one counts, as programs take it."""
        values = self.values(*names)
        return values[-1] if values else None

    @property
    def words(self) -> tuple[str, ...]:
        return tuple([operand.string for operand in self.operands])


def split_options(
    arguments: Sequence[Text],
    takes: frozenset[str] = NONE,
    *,
    attached: frozenset[str] = NONE,
    clusters: bool = True,
    stops: bool = False,
) -> Given:
    """Options that are in `takes` have a value behind them; `attached` ones only in the same word: sed's `-i.bak`.

    `clusters`: `-rf` is two options. `stops`: behind the first operand everything is one.
    """
    options: list[tuple[str, Text]] = []
    operands: list[Text] = []
    rest = iter(arguments)
    for argument in rest:
        begins = beginning(argument)
        if begins[:1] != "-" or (begins == "-" and argument.known is not None):
            operands.append(argument)
            if stops:
                operands += rest
        elif begins == "--" and argument.known is not None:
            operands += rest
        elif begins.startswith("--") or not clusters:
            options.append(_long(argument, begins, takes, rest))
        else:
            options += _short(argument, begins, takes, attached, rest)
    return Given(tuple(options), tuple(operands))


def beginning(text: Text) -> str:
    """What is known of it up to its first hole."""
    first = text.pieces[0] if text.pieces else ""
    return first if isinstance(first, str) else ""


def _long(argument: Text, begins: str, takes: frozenset[str], rest: Iterator[Text]) -> tuple[str, Text]:
    name, equals, value = begins.partition("=")
    if equals:
        return name, Text.of(value, *argument.pieces[1:])
    if name in takes and argument.known is not None:
        return name, next(rest, EMPTY)
    return argument.shown(), EMPTY


def _short(
    argument: Text, begins: str, takes: frozenset[str], attached: frozenset[str], rest: Iterator[Text]
) -> list[tuple[str, Text]]:
    options: list[tuple[str, Text]] = []
    for index, letter in enumerate(begins[1:], start=2):
        option = f"-{letter}"
        if option in takes or option in attached:
            behind = Text.of(begins[index:], *argument.pieces[1:])
            options.append((option, behind or (next(rest, EMPTY) if option in takes else EMPTY)))
            break
        options.append((option, EMPTY))
    return options


def glued_options(arguments: Sequence[Text], names: Iterable[str]) -> tuple[str, ...]:
    """Which of these options stand behind something else in one word: `$NAME--token`."""
    written = [each.shown() for each in arguments]
    if not any("--" in each[1:] for each in written):
        return ()
    options = "|".join(re.escape(name) for name in names if name.startswith("--"))
    found = re.compile(rf"(?<![\s\"'=,-])(?:{options})(?=[=\s]|$)")
    return tuple(each for word in written for each in found.findall(word, 1))


# One call of a program, and what came of it.

E = TypeVar("E", bound=Effect)


class Files(Protocol):
    """The files as the script has left them so far."""

    def content(self, path: Text) -> Content | None:
        """What stands in a file that the script made; None for one that it did not make, or whose name is not known."""
        ...


class Environment(Protocol):
    def get(self, name: str) -> Text | None:
        """A variable's value; None where nobody has set it."""
        ...


# Not frozen, for there is one for every command of a script.
@dataclass(slots=True, eq=False)
class Call:
    # The program's name without its folder, then its arguments; `sudo`, `env`, `nohup` … are taken off already.
    arguments: tuple[Text, ...]
    place: Place
    stage: Stage
    files: Files
    # What it reads: a heredoc, a here-string, the output of the program before it in a pipe; None if not known.
    stdin: Content | None = None
    command: str = ""
    conditions: Guard = ()
    via: tuple[Place, ...] = ()
    failure: Failure = Failure.STOPS
    detached: bool = False
    # Variables given for this call alone or exported before it.
    environment: Environment = field(default_factory=dict[str, Text])
    # Relative paths are resolved by this; None where it is not known.
    folder: str | None = "/"
    # Of a command that a function was called with: where that runs it, and what led there.
    run_at: tuple[Place, ...] = ()

    @property
    def program(self) -> str:
        return self.arguments[0].string.rsplit("/", 1)[-1]

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments behind the program's name, as far as they are known; what is not is empty."""
        return tuple([argument.string for argument in self.arguments[1:]])

    def does(self, effect: type[E], /, **what: Any) -> E:
        """An effect of this call: the place, the conditions and the rest are the call's own."""
        return effect(
            place=self.place,
            stage=self.stage,
            command=self.command,
            conditions=self.conditions,
            via=self.via,
            run_at=self.run_at,
            failure=self.failure,
            detached=self.detached,
            **what,
        )

    def path(self, argument: Text) -> Text:
        """A path as an absolute one, where the working folder is known."""
        first = argument.pieces[0] if argument.pieces else ""
        if not isinstance(first, str) or is_rooted(first) or self.folder is None:
            return argument
        folder = self.folder.rstrip("/")
        return Text.of(f"{folder}/", *Text.of(first.removeprefix("./")).pieces, *argument.pieces[1:])


@dataclass(slots=True, eq=False)
class Did:
    effects: Sequence[Effect] = ()
    # What it prints: None where that can't be known.
    output: Content | None = None
    # Whether it succeeds, where that is sure.
    succeeded: bool | None = None


# None: this handler knows nothing of such a call, which then is a program that runs.
Handler = Callable[[Call], Did | None]


# What a program prints, as far as that can be said.

NOTHING = Content()
# A script that makes more of them makes them for nobody to read.
MOST_LINES = 20_000
SILENT = Did(output=NOTHING)


def printed_content(call: Call, text: Text) -> Content:
    return Content(lines_of(text, call.place)) if text else NOTHING


def command_line(call: Call) -> str:
    return " ".join([argument.shown() for argument in call.arguments])


def on_the_node(call: Call, why: str = "") -> Content:
    """One line that nobody knows before the node runs it."""
    before = call.stdin.printed_by if call.stdin is not None else ""
    said = f"{before} | {command_line(call)}" if before else command_line(call)
    hole = Hole(f"$({said})", why or f"{said} prints it on the node")
    return Content((Line(Text((hole,)), call.place),))


def ask_node(call: Call) -> Did:
    """A program that only tells what the node is like."""
    return Did((), on_the_node(call))


def run_on_node(call: Call) -> Did:
    """A program that runs, and of which no more is said here."""
    return Did([call.does(Runs, arguments=call.arguments)])


def has_open_lines(content: Content) -> bool:
    """Whether a line of it may stand for any number of lines."""
    return any(len(pieces := line.text.pieces) == 1 and isinstance(pieces[0], Hole) for line in content.lines)
