"""How a script goes on: where it stops, what was decided, what flows through its pipes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum
from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Expansion, Failure
from nodeworthy.boot.shell.state import Branch
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Background,
    Case,
    Command,
    CountingFor,
    For,
    Function,
    Group,
    If,
    Literal,
    Not,
    Pipeline,
    Redirected,
    Statement,
    While,
    Word,
)
from nodeworthy.boot.shell.tokens import PlainWords
from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


class Flow(IntEnum):
    """Whether what stands behind is still reached, and if not, up to where that goes."""

    ON = 0
    CONTINUE = 1
    BREAK = 2
    RETURN = 3
    EXIT = 4


# Nobody changes one of these: they are not frozen because every command of a script makes some.
@dataclass(slots=True)
class Answer:
    """How a command that was asked came out, and under which conditions it comes out so."""

    value: bool | None
    yes: Guard = ()
    no: Guard = ()

    def flipped(self) -> Answer:
        return Answer(None if self.value is None else not self.value, self.no, self.yes)


@dataclass(slots=True)
class Taken:
    """A branch that was walked: under which conditions, how it ended, what it changed."""

    conditions: Guard
    flow: Flow
    changed: Branch


@dataclass(slots=True)
class Failing:
    """What happens where a command fails; `explicit` where somebody wrote it there: `|| exit 1`."""

    how: Failure
    explicit: bool = False


@dataclass(slots=True)
class Stream:
    """What a command reads from the one before it, or from a heredoc."""

    content: Content | None = None
    expanded: tuple[Expansion, ...] = ()
    # It comes from the network, from there.
    url: Text | None = None


@dataclass(slots=True)
class Given:
    """What a function was called with, and where: a command that is among it stands there, and not in the function."""

    arguments: tuple[Text, ...]
    place: Place
    via: tuple[Place, ...]

    def holds(self, text: Text) -> bool:
        return any(each is text for each in self.arguments)


# What a script does about a failure: what stands behind `||`, or in the branch for it.

_TELLS = {"echo", "printf", "logger", "log", "warn", "error", "err", "cfn-signal", "wall", "systemd-cat", "cat"}
_NOTHING = {"true", ":"}
# What only lets time pass, or leaves the round of a loop: a later round may do it, and something behind may ask.
_PASSES = {"sleep", "continue", "break"}
_ENDS = {"exit", "return"}
_LEAVES = {"break", "exit", "return", "exec", "kill", "reboot", "shutdown"}
_UNREAD = (Case, CountingFor, For, While)
_DEEPEST = 4
_BOTH = ("&>", "&>>", ">&")
_ALL_IS_WELL = pattern(r"(?i)\b(?:ok(?:ay)?|fine|harmless|success\w*|done|completed?|installed)\b")
# Words by which whoever reads them looks again.
_IS_TOLD = pattern(
    r"(?i)fail|\berr|could|cannot|can't|unable|\bnot\b|n't\b|missing|problem|\bmay\b|might|maybe|warn(?:ing)?:|"
    r"retry|again|instead|fall(?:ing)?[ -]?back|manual|reboot"
)


UNNOTICED = Failing(Failure.UNNOTICED, explicit=True)
SWALLOWED = Failing(Failure.SWALLOWED, explicit=True)
REPORTED = Failing(Failure.REPORTED, explicit=True)
STOPS = Failing(Failure.STOPS, explicit=True)


def word_it_leaves_by(statement: Statement | None) -> str:
    """`exit`, or `return $?`: who leaves so leaves as the command before ended. Empty for all else."""
    if not isinstance(statement, Command) or not 0 < len(statement.words) < 3:
        return ""
    words = statement.words
    # Every command of a script is asked: no word is made of plain ones for it.
    said = [each.string for each in words.texts] if type(words) is PlainWords else [_unquoted(each) for each in words]
    return said[0] if said[0] in ("exit", "return") and said[1:] in ([], ["$?"]) else ""


def _unquoted(word: Word) -> str:
    return word.raw.strip('"')


def without_a_listener(outer: Failing | None) -> Failing:
    """What runs here may fail and nobody hears of it, unless something around it deals with that."""
    return outer if outer is not None and outer.explicit else UNNOTICED


def run_body(walker: Walker, body: Sequence[Statement]) -> bool | None:
    """A function's body, or a group's. Where its failure is dealt with outside, `set -e` does not hold in it: of a
    failure in its middle nobody hears."""
    outer = walker.failing
    if len(body) < 2 or outer is None or outer.how not in (Failure.STOPS, Failure.REPORTED):
        return walker.run_all(body)
    if not outer.explicit:
        return walker.run_all(body)
    last = len(body) - (2 if word_it_leaves_by(body[-1]) == "return" else 1)
    walker.failing = UNNOTICED
    walker.run_all(body[:last])
    walker.failing = outer
    return walker.run_all(body[last:]) if walker.flow is Flow.ON else None


def handler_in(
    statements: Sequence[Statement], functions: Mapping[str, Function], outer: Failing, failed: Statement | None
) -> Failing:
    """What becomes of a failure of `failed` that these statements are there for."""
    words = _commands(statements, functions, 0)
    names = {name for name, _ in words}
    if not names.isdisjoint(_ENDS) and any(name in _ENDS and argument != "0" for name, argument in words):
        return STOPS
    if names & _TELLS:
        return SWALLOWED if _is_muted(failed) and _says_all_is_well(statements, names - functions.keys()) else REPORTED
    if names <= _ENDS | _NOTHING:
        return SWALLOWED
    if names <= _PASSES | _NOTHING:
        return UNNOTICED
    # Another way to do the same: what counts is what happens where that fails, too.
    return outer


def _is_muted(statement: Statement | None) -> bool:
    """Whether its errors are thrown away."""
    if isinstance(statement, Not):
        return _is_muted(statement.command)
    if not isinstance(statement, (Command, Redirected)):
        return False
    away = [each for each in statement.redirects if isinstance(each.target, Word) and each.target.raw == "/dev/null"]
    if any(each.operator in _BOTH or each.descriptor == 2 for each in away):
        return True
    follows = any(each.operator == ">&" and each.descriptor == 2 for each in statement.redirects)
    return follows and any(each.operator in (">", ">>") and each.descriptor in (None, 1) for each in away)


def _says_all_is_well(statements: Sequence[Statement], names: AbstractSet[str]) -> bool:
    """Whether all that somebody reads of a failure is that there was none."""
    said = " ".join(_command_texts(statements, 0))
    is_all = names <= _TELLS | _NOTHING
    return is_all and _ALL_IS_WELL.search(said) is not None and _IS_TOLD.search(said) is None


def _command_texts(statements: Iterable[Statement], depth: int) -> Iterator[str]:
    for each in statements:
        if isinstance(each, Command):
            yield each.raw
        elif depth < _DEEPEST:
            yield from _command_texts(_inside(each), depth + 1)


def tries_for_ever(loop: While, functions: Mapping[str, Function]) -> bool:
    """Whether a loop does one command again until it succeeds, and nothing in it gives up."""
    last = loop.condition[-1] if loop.condition else None
    negated = isinstance(last, Not)
    command = last.command if isinstance(last, Not) else last
    command = command.statement if isinstance(command, Redirected) else command
    if not isinstance(command, Command) or negated is loop.until:
        return False
    names = {name for name, _ in _commands(loop.body, functions, 0)}
    return names.isdisjoint(_LEAVES) and not any(isinstance(each, _UNREAD) for each in loop.body)


def _commands(statements: Iterable[Statement], functions: Mapping[str, Function], depth: int) -> list[tuple[str, str]]:
    """Every command by name, with its first argument; of functions also what they do."""
    found: list[tuple[str, str]] = []
    for each in statements:
        if isinstance(each, Command):
            name = _word(each, 0)
            found.append((name, _word(each, 1)))
            if name in functions and depth < _DEEPEST:
                found += _commands(functions[name].body, functions, depth + 1)
        elif depth < _DEEPEST:
            found += _commands(_inside(each), functions, depth + 1)
    return found


def _inside(statement: Statement) -> Iterable[Statement]:
    if isinstance(statement, Group):
        return statement.body
    if isinstance(statement, AndOr):
        return statement.left, statement.right
    if isinstance(statement, Pipeline):
        return statement.commands
    if isinstance(statement, (Redirected, Background)):
        return (statement.statement,)
    if isinstance(statement, Not):
        return (statement.command,)
    if isinstance(statement, If):
        return [inner for branch in statement.branches for inner in branch.body] + list(statement.otherwise)
    return ()


def _word(command: Command, index: int) -> str:
    if len(command.words) <= index:
        return ""
    parts = command.words[index].parts
    return parts[0].text if len(parts) == 1 and isinstance(parts[0], Literal) else "$"
