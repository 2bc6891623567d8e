"""Lists of statements, their pipelines, and what becomes of them where something is no shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.simple import Simple
from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Background,
    Broken,
    Command,
    Function,
    Literal,
    Not,
    Pipeline,
    Redirect,
    Redirected,
    Statement,
    Word,
)
from nodeworthy.boot.shell.templates import ELSE, ENDFOR, ENDIF
from nodeworthy.boot.shell.tokens import END, LINE, OPERATOR, WORD, Tokens
from nodeworthy.records import replace

# `|&`: what a command says on its standard error goes into the pipe too.


def with_errors(statement: Statement, source: Source, pipe: int) -> Statement:
    """`pipe` is where it stands."""
    if isinstance(statement, (Function, Broken)):
        return statement
    both = Redirect(">&", Word((Literal("1"),), "1", source, pipe), 2)
    if isinstance(statement, Command):
        return replace(statement, redirects=(*statement.redirects, both))
    return Redirected(statement, (both,), statement.line, statement.column, getattr(statement, "raw", ""))


# Longer chains of `&&` are not read: whoever follows them goes down one step for each.
_LONGEST = 150
# A text that has more of them is no shell: its rest is not read.
_MOST_FAILURES = 1000
_CLOSERS = frozenset(
    ("then", "elif", "else", "fi", "do", "done", "esac", "}", ")", ";;", ";&", ";;&", ELSE, ENDIF, ENDFOR)
)
_OPERATORS_THAT_CLOSE = frozenset((")", ";;", ";&", ";;&"))
# Where a command begins they are no words to bash.
_KEYWORDS = frozenset(("!", "time", "in", "]]", "[[", "coproc", "select"))
_SEPARATORS = frozenset((";", "\n", "&"))
# What stands behind a statement; the end is empty.
_ENDS = _SEPARATORS | {""}
# Behind these it is a statement as it stands: no chain, nothing in the background.
_ENDED = frozenset((";", "\n", ""))
_CHAINS = frozenset(("&&", "||"))
_PIPES = frozenset(("|", "|&"))
_BEFORE_PIPELINES = frozenset(("!", "time"))

Statements = tuple[Statement, ...]


class Lists:
    """Lists and pipelines; the constructs in them are the business of `Grammar`."""

    def __init__(self, tokens: Tokens, pieces: Pieces, constructs: Mapping[str, Callable[[Any], Statement]]) -> None:
        self.tokens, self.source = tokens, tokens.source
        self.simple = Simple(tokens, pieces)
        # By the word that begins it: what reads a construct.
        self.constructs = constructs
        # What closes the constructs that are open, innermost last.
        self.awaited: list[frozenset[str]] = []
        # What was read inside of a construct whose end is missing.
        self.rescued: list[Statement] = []

    def read(self) -> Statements:
        return self.statements(frozenset())

    def statements(self, closers: frozenset[str]) -> Statements:
        """Statements up to one of these words or operators, or to a closer that somebody outside waits for."""
        found: list[Statement] = []
        tokens = self.tokens
        self.awaited.append(closers)
        ends = False
        while True:
            kind, token, _ = tokens.row[tokens.at]
            if kind == OPERATOR and token in _SEPARATORS:
                # Bash wants a command before each `;` and `&`.
                if token != "\n" and not ends:
                    self.source.is_doubtful = True
                ends = False
                tokens.at += 1
            elif kind == END or (token in _CLOSERS and self._is_awaited(token)):
                self.awaited.pop()
                return tuple(found)
            elif kind == LINE and tokens.row[tokens.at + 1][1] in _ENDED and not self.source.broken:
                found.append(self.simple.line())
                ends = True
            else:
                found.append(self._one())
                ends = True

    def _is_awaited(self, closer: str) -> bool:
        return closer in self.awaited[-1] or any(closer in each for each in self.awaited)

    def _one(self) -> Statement:
        tokens = self.tokens
        at, awaited, depth = tokens.at, len(self.awaited), self.source.depth
        rescued, self.rescued = self.rescued, []
        try:
            statement = self._and_or()
            if tokens.row[tokens.at][1] not in _ENDS:
                if not self._closes():
                    raise NotReadable
                if tokens.token not in _OPERATORS_THAT_CLOSE:
                    self.source.is_doubtful = True  # `{ a; } > b }`
        except NotReadable:
            del self.awaited[awaited:]
            self.source.failures += 1
            self.source.depth = depth
            self._recover(at)
            statement = self._broken(tokens.row[at][2], tuple(self.rescued))
        self.rescued = rescued
        if tokens.row[tokens.at][1] == "&":
            start = tokens.row[at][2]
            return Background(statement, *self.source.place(start), self.raw(start))
        return statement

    def _closes(self) -> bool:
        return self.tokens.token in _CLOSERS and self._is_awaited(self.tokens.token)

    def _recover(self, at: int) -> None:
        """Goes on behind the line or at a closer that somebody waits for, but never stands still."""
        tokens = self.tokens
        if tokens.at == at:
            tokens.at += 1
        if self.source.failures > _MOST_FAILURES:
            tokens.at = len(tokens.row) - 1
        while tokens.token and not self._closes() and tokens.row[tokens.at - 1][1] not in (";", "\n"):
            tokens.at += 1
        if tokens.row[tokens.at - 1][1] in (";", "\n"):
            tokens.at -= 1

    def _broken(self, start: int, inside: Statements) -> Broken:
        line, column = self.source.place(start)
        return Broken(self.raw(start), line, column, inside)

    def raw(self, start: int) -> str:
        return self.source.shown(start, self.tokens.behind)

    def _and_or(self) -> Statement:
        tokens, at = self.tokens, self.tokens.at
        left = self._pipeline()
        length = 0
        while (operator := tokens.row[tokens.at][1]) in _CHAINS:
            tokens.at += 1
            tokens.skip_newlines()
            length += 1
            if length > _LONGEST:
                self.rescued.append(left)
                raise NotReadable
            right = self._pipeline()
            start = tokens.row[at][2]
            left = AndOr(left, operator, right, *self.source.place(start), self.raw(start))
        return left

    def _pipeline(self) -> Statement:
        tokens, at = self.tokens, self.tokens.at
        negated = tokens.row[at][1] in _BEFORE_PIPELINES and self._negated()
        first = tokens.at
        statement = self.command()
        if tokens.row[tokens.at][1] in _PIPES:
            start = tokens.row[first][2]
            statement = Pipeline(self._piped(statement), *self.source.place(start), self.raw(start))
        if negated:
            start = tokens.row[at][2]
            statement = Not(statement, *self.source.place(start), self.raw(start))
        return statement

    def _negated(self) -> bool:
        """What stands before a pipeline: `!`, and `time`, which changes nothing."""
        tokens, negated = self.tokens, False
        while True:
            if tokens.take("!"):
                negated = not negated
            elif tokens.token == "time" and tokens.row[tokens.at + 1][0] == WORD:
                self.source.is_doubtful = True
                tokens.at += 1
                tokens.take("-p")
            else:
                return negated

    def _piped(self, first: Statement) -> tuple[Statement, ...]:
        tokens, commands = self.tokens, [first]
        while (pipe := tokens.row[tokens.at][1]) in _PIPES:
            if pipe == "|&":
                commands[-1] = with_errors(commands[-1], self.source, tokens.row[tokens.at][2])
            tokens.at += 1
            tokens.skip_newlines()
            commands.append(self.command())
        return tuple(commands)

    def command(self) -> Statement:
        tokens = self.tokens
        kind, token, start = tokens.row[tokens.at]
        if kind == WORD:
            read = self.constructs.get(token)
            if read is not None:
                return self._redirected(self.compound(read), start)
            if start in self.source.tests:
                return self._redirected(self.simple.double_brackets(), start)
            if start in self.source.arithmetics:
                return self._redirected(self.simple.arithmetic(), start)
            if token in _CLOSERS:
                raise NotReadable
            if token in _KEYWORDS:
                self.source.is_doubtful = True
            if tokens.row[tokens.at + 1][1] == "(":
                return self.constructs["function"](self)
        elif token == "(":
            return self._redirected(self.compound(self.constructs["("]), start)
        return self.simple.command()

    def compound(self, read: Callable[[Any], Statement]) -> Statement:
        if self.source.depth >= DEEPEST:
            raise NotReadable
        self.source.depth += 1
        statement = read(self)
        self.source.depth -= 1
        return statement

    def _redirected(self, statement: Statement, start: int) -> Statement:
        redirects = self.simple.redirects()
        if not redirects:
            return statement
        return Redirected(statement, redirects, *self.source.place(start), self.raw(start))

    def body(self, *closers: str, empty: bool = False) -> Statements:
        """The statements up to one of these; what was read is not lost where none of them comes."""
        body = self.statements(frozenset(closers))
        if self.tokens.token not in closers or not (body or empty):
            self.rescued += body
            raise NotReadable
        return body

    def keep(self, *read: Statements) -> None:
        for each in read:
            self.rescued += each
