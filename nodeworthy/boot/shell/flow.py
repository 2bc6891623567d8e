"""How a script goes on: where it stops, what was decided, what flows through its pipes."""

from __future__ import annotations

from enum import IntEnum

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Expansion, Failure
from nodeworthy.boot.shell.state import Branch
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


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
    # A shell of its own runs in between, in which its own `set -e` counts.
    has_own_options: bool = False


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
