"""One call of a program, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, Protocol, TypeVar

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, Failure, Stage
from nodeworthy.boot.paths import is_rooted
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

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
        return (self.arguments[0].known or "").rsplit("/", 1)[-1]

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments behind the program's name, as far as they are known; what is not is empty."""
        return tuple([argument.known or "" for argument in self.arguments[1:]])

    def does(self, kind: type[E], /, **what: Any) -> E:
        """An effect of this call: the place, the conditions and the rest are the call's own."""
        return kind(
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
