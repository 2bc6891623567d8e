"""What a script decides by, as questions: equal where the answer must be equal."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.boot.conditions import YES_OR_NO, Asks, Question
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Command,
    Group,
    Literal,
    Not,
    Parameter,
    Pipeline,
    Redirected,
    Statement,
    Test,
    Word,
)
from nodeworthy.boot.shell.tests import state_asked_by, variables_in
from nodeworthy.boot.shell.words import Expander
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# Programs that change nothing: whoever calls them in a condition wants to know something.
_ASKING = frozenset(
    "[ [[ test grep egrep fgrep zgrep command which type hash lspci lsmod lsblk blkid id getent dpkg dpkg-query "
    "mountpoint findmnt pgrep pidof modinfo diff cmp uname hostname rpm read stat ls find nc ping host nslookup dig "
    "expr let true false jq awk".split()
)
_ASKING_UNITS = ("is-active", "is-enabled", "is-failed", "is-system-running", "status", "show", "list-units", "cat")
LONGEST = 160
_NO_FILES = frozenset[str]()


@dataclass
class Questions:
    state: State
    expander: Expander
    _known: dict[tuple[object, ...], int] = field(default_factory=dict)
    _asked: dict[str, int] = field(default_factory=dict)

    def of(self, statement: Statement, place: Place) -> Question:
        """The question that a statement is where its outcome decides something."""
        text = _one_line(getattr(statement, "raw", ""))
        if not asks(statement):
            return self.anew(text, place, Asks.SUCCESS)
        files, names = self._about(statement)
        about = [f"${name}" for name in names] + list(files)
        key = (text, *((each, self.state.versions.get(each, 0)) for each in sorted(about)))
        return Question(text, place, Asks.STATE, YES_OR_NO, files, self._asking(text, key))

    def choice(self, word: Word, answers: Iterable[str], place: Place) -> Question:
        """A case: one question with an answer for every arm."""
        answers = tuple(answers)
        versions = ((name, self.state.versions.get(f"${name}", 0)) for name in sorted(variables_in(word)))
        text = _one_line(word.raw)
        return Question(text, place, Asks.STATE, answers, _NO_FILES, self._asking(text, (text, answers, *versions)))

    def which(self, shown: str, answers: tuple[str, ...], place: Place) -> Question:
        """Which of its values a variable has."""
        version = self.state.versions.get(shown, 0)
        return Question(shown, place, Asks.STATE, answers, _NO_FILES, self._asking(shown, (shown, answers, version)))

    def take(self, other: Questions) -> None:
        """All that others have asked before."""
        self._known.update(other._known)
        self._asked.update(other._asked)

    def anew(self, text: str, place: Place, asks: Asks) -> Question:
        """A question that is asked this once."""
        return Question(text, place, asks, YES_OR_NO, _NO_FILES, self._next(text))

    def _asking(self, text: str, key: tuple[object, ...]) -> int:
        if key not in self._known:
            self._known[key] = self._next(text)
        return self._known[key]

    def _next(self, text: str) -> int:
        self._asked[text] = self._asked.get(text, -1) + 1
        return self._asked[text]

    def _about(self, statement: Statement) -> tuple[frozenset[str], frozenset[str]]:
        if isinstance(statement, Test):
            return state_asked_by(statement.expression, self.expander)
        files: set[str] = set()
        names: set[str] = set()
        for command in _commands(statement):
            for word in command.words[1:]:
                if word.plain is None:
                    names |= variables_in(word)
                path = self._path(word)
                if path:
                    files.add(path)
        return frozenset(files), frozenset(names)

    def _path(self, word: Word) -> str | None:
        if word.plain is None and any(not isinstance(part, (Literal, Parameter)) for part in word.parts):
            return None
        known = self.expander.text(word).known
        return known if known is not None and known.startswith("/") else None


def only_asks(program: str) -> bool:
    """Whether a program changes nothing, whoever calls it."""
    return program in _ASKING


def asks(statement: Statement) -> bool:
    """Whether a statement only asks; else it does something, and is meant to succeed."""
    if isinstance(statement, Command):
        return _command_asks(statement)
    if isinstance(statement, Test):
        return True
    if isinstance(statement, Not):
        return asks(statement.command)
    if isinstance(statement, Redirected):
        return asks(statement.statement)
    if isinstance(statement, Pipeline):
        return asks(statement.commands[-1])
    if isinstance(statement, AndOr):
        return asks(statement.left) or asks(statement.right)
    if isinstance(statement, Group):
        return bool(statement.body) and asks(statement.body[-1])
    return False


def _command_asks(command: Command) -> bool:
    words = command.words
    first = _literal(words[0]).rsplit("/", 1)[-1] if words else ""
    if first == "sudo" and len(words) > 1 and (second := _literal(words[1])):
        return second in _ASKING
    return first in _ASKING or (first == "systemctl" and any(_literal(each) in _ASKING_UNITS for each in words[1:4]))


def _commands(statement: Statement) -> Iterable[Command]:
    if isinstance(statement, Command):
        return (statement,)
    if isinstance(statement, Pipeline):
        return [inner for each in statement.commands for inner in _commands(each)]
    if isinstance(statement, Not):
        return _commands(statement.command)
    if isinstance(statement, Redirected):
        return _commands(statement.statement)
    if isinstance(statement, AndOr):
        return [*_commands(statement.left), *_commands(statement.right)]
    return ()


def _literal(word: Word) -> str:
    return word.parts[0].text if len(word.parts) == 1 and isinstance(word.parts[0], Literal) else ""


def _one_line(raw: str) -> str:
    text = " ".join(raw.split()) if "\n" in raw or "  " in raw else raw
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
