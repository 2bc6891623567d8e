"""Simple commands: their words, assignments and redirects; tests and declarations among them."""

from __future__ import annotations

import re

from nodeworthy.boot.shell.bodies import here_document
from nodeworthy.boot.shell.brackets import Brackets
from nodeworthy.boot.shell.pieces import Pieces, joined
from nodeworthy.boot.shell.source import NotReadable
from nodeworthy.boot.shell.syntax import (
    Assignment,
    Command,
    Declaration,
    HereDocument,
    Literal,
    Opaque,
    Redirect,
    Redirected,
    Statement,
    Test,
    Word,
)
from nodeworthy.boot.shell.tokens import REDIRECT, WORD, Tokens

_ASSIGNS = re.compile(r"([A-Za-z_]\w*)(?:\[((?:[^\]\[]|\[[^\]]*\])*)\])?(\+?)=", re.ASCII | re.DOTALL)
_DECLARES = frozenset({"export", "local", "declare", "readonly", "typeset"})
_IN_BRACKETS = re.compile(r"&&|\|\||[()<>]|[^\s()&|<>]+|[&|]")
_PATTERN = re.compile(r"\S+")


class Simple:
    """Reads simple commands from a row of tokens."""

    def __init__(self, tokens: Tokens, pieces: Pieces) -> None:
        self.tokens, self.pieces, self.source = tokens, pieces, tokens.source

    def command(self) -> Statement:
        tokens = self.tokens
        start = tokens.start
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while (kind := tokens.row[tokens.at][0]) in (WORD, REDIRECT):
            if kind == REDIRECT:
                redirects.append(self.redirect())
                continue
            assignment = None if words else self._assignment()
            if assignment is not None:
                assignments.append(assignment)
            else:
                words.append(self.word())
        if tokens.behind <= start:
            raise NotReadable
        return self._made(tuple(words), tuple(assignments), tuple(redirects), start)

    def word(self) -> Word:
        kind, token, start = self.tokens.row[self.tokens.at]
        if kind != WORD:
            raise NotReadable
        self.tokens.at += 1
        if self.source.broken and any(start <= each < start + len(token) for each in self.source.broken):
            raise NotReadable
        return self.pieces.word(start, start + len(token))

    def redirect(self) -> Redirect:
        _, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        descriptor, operator = _split(token)
        if operator in ("<<", "<<-"):
            self.tokens.at += 1
            return Redirect("<<", self._here(start + len(token) - len(operator)), descriptor)
        return Redirect(operator, self.word(), descriptor)

    def _here(self, start: int) -> HereDocument:
        body = self.source.bodies.get(start)
        if body is None:
            raise NotReadable
        return here_document(self.pieces, body)

    def redirects(self) -> tuple[Redirect, ...]:
        found = []
        while self.tokens.row[self.tokens.at][0] == REDIRECT:
            found.append(self.redirect())
        return tuple(found)

    def _assignment(self) -> Assignment | None:
        _, token, start = self.tokens.row[self.tokens.at]
        found = _ASSIGNS.match(token)
        if found is None:
            return None
        name, index, plus = found.groups()
        line, column = self.source.place(start)
        value = start + found.end()
        if index is not None:
            index = self.source.text[start + found.start(2) : start + found.end(2)]
        if value in self.source.arrays and value in self.source.insides:
            self.tokens.at += 1
            return Assignment(name, None, line, column, self._items(value), bool(plus), index)
        self.word()
        return Assignment(name, self.pieces.word(value, start + len(token)), line, column, (), bool(plus), index)

    def _items(self, start: int) -> tuple[Word, ...]:
        base, inside = self.source.insides[start]
        return tuple(self.pieces.word(base + each.start(), base + each.end()) for each in _PATTERN.finditer(inside))

    def _made(
        self, words: tuple[Word, ...], assignments: tuple[Assignment, ...], redirects: tuple[Redirect, ...], start: int
    ) -> Statement:
        raw = self.source.shown(start, self.tokens.behind)
        line, column = self.source.place(start)
        name = words[0].raw if words else ""
        if name in ("[", "test") and not assignments:
            return self._behind(self._test(words, line, column, raw), redirects)
        if name in _DECLARES and not assignments:
            return self._behind(self._declaration(words, line, column, raw), redirects)
        return Command(words, assignments, redirects, line, column, raw)

    def _behind(self, statement: Test | Declaration, redirects: tuple[Redirect, ...]) -> Statement:
        if not redirects:
            return statement
        return Redirected(statement, redirects, statement.line, statement.column, statement.raw)

    def _test(self, words: tuple[Word, ...], line: int, column: int, raw: str) -> Test:
        asked = list(words[1:])
        if words[0].raw == "[":
            if not asked or asked.pop().raw != "]":
                raise NotReadable
        try:
            return Test(Brackets(asked, doubled=False).read(), line, column, raw)
        except NotReadable:
            return Test(Opaque(raw), line, column, raw)

    def double_brackets(self) -> Test:
        _, _, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        base, inside = self.source.insides[start]
        words = self._bracket_words(base, inside)
        raw = self.source.shown(start, self.tokens.behind)
        line, column = self.source.place(start)
        try:
            return Test(Brackets(words, doubled=True).read(), line, column, raw)
        except NotReadable:
            return Test(Opaque(raw), line, column, raw)

    def _bracket_words(self, base: int, inside: str) -> list[Word]:
        words: list[Word] = []
        at = 0
        while (found := _IN_BRACKETS.search(inside, at)) is not None:
            start, at = found.span()
            if words and words[-1].raw in ("=~", "==", "=", "!="):
                at = _pattern_end(inside, start)
            words.append(self.pieces.word(base + start, base + at))
        return words

    def arithmetic(self) -> Test:
        _, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        raw = self.source.shown(start, start + len(token))
        line, column = self.source.place(start)
        return Test(Opaque(raw), line, column, raw)

    def _declaration(self, words: tuple[Word, ...], line: int, column: int, raw: str) -> Declaration:
        assignments, names = [], []
        for word in words[1:]:
            assignment = self._declared(word)
            if assignment is not None:
                assignments.append(assignment)
            elif not word.raw.startswith("-"):
                names.append(word.raw)
        return Declaration(words[0].raw, tuple(assignments), tuple(names), line, column, raw)

    def _declared(self, word: Word) -> Assignment | None:
        first = word.parts[0] if word.parts else None
        found = _ASSIGNS.match(first.text) if isinstance(first, Literal) else None
        if not isinstance(first, Literal) or found is None:
            return None
        name, index, plus = found.groups()
        if word.raw.startswith("(", found.end()) and word.raw.endswith(")"):
            return self._declared_array(word, name, found.end(), bool(plus))
        rest = Literal(first.text[found.end() :], first.quoted)
        parts = joined([*([rest] if rest.text or len(word.parts) == 1 else []), *word.parts[1:]])
        value = Word(parts, word.line, word.column + found.end(), word.raw[found.end() :])
        return Assignment(name, value, word.line, word.column, (), bool(plus), index)

    def _declared_array(self, word: Word, name: str, length: int, appends: bool) -> Assignment | None:
        start = self.source.offset(word.line, word.column) + length
        if start not in self.source.arrays or start not in self.source.insides:
            return None
        return Assignment(name, None, word.line, word.column, self._items(start), appends)


def _split(token: str) -> tuple[int | None, str]:
    """The descriptor that is redirected, and the operator."""
    if token.startswith("{"):
        return None, token[token.index("}") + 1 :]
    operator = token.lstrip("0123456789")
    number = token[: len(token) - len(operator)]
    return (int(number) if 0 < len(number) < 10 else None), operator


def _pattern_end(inside: str, start: int) -> int:
    """A pattern or a regular expression ends at a blank outside of its parentheses."""
    depth = 0
    for at in range(start, len(inside)):
        each = inside[at]
        if each == "(":
            depth += 1
        elif each == ")":
            depth -= 1
            if depth < 0:
                return at
        elif each in " \t\n" and depth == 0:
            return at
    return len(inside)
