"""Simple commands: their words, assignments and redirects."""

from __future__ import annotations

import re
from functools import lru_cache

from nodeworthy.boot.shell.brackets import bracket_words, is_plain_test, parse_test
from nodeworthy.boot.shell.pieces import Pieces, join_parts
from nodeworthy.boot.shell.source import Body, NotReadable
from nodeworthy.boot.shell.syntax import (
    Assignment,
    Command,
    Declaration,
    Filled,
    HereDocument,
    Literal,
    Opaque,
    Redirect,
    Redirected,
    Statement,
    Test,
    TestExpression,
    Word,
    WordPart,
)
from nodeworthy.boot.shell.templates import DIRECTIVE, ELSE, ENDFOR, ENDIF, FOR, IF
from nodeworthy.boot.shell.tokens import LINE, REDIRECT, WORD, PlainWords, Tokens
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

# The bodies of heredocs as words, one a line.

_EXPANDED = pattern(r"\\[\\`$\n]|`|\$\(\(|\$[({\[]|\$[A-Za-z_0-9@*#?$!-]|\ue000(\d+)\ue001|\ue002.")


def here_document(pieces: Pieces, body: Body) -> HereDocument:
    lines = (_directed if DIRECTIVE in pieces.text[body.start : body.end] else _words_of_body)(pieces, body)
    line = pieces.source.place(body.start)[0]
    return HereDocument(body.quoted, lines, body.delimiter, line, not body.closed)


def _words_of_body(pieces: Pieces, body: Body) -> tuple[Word, ...]:
    return _plain(pieces, body) if body.quoted else _expanded(pieces, body)


def _directed(pieces: Pieces, body: Body) -> tuple[Word, ...]:
    """Lines between the directives of a template may be there or not: they are filled in."""
    words: list[Word] = []
    at = start = body.start
    depth = 0
    for row in pieces.text[body.start : body.end].split("\n"):
        end, mark = at + len(row), row.strip()[:2]
        if mark in (IF, FOR):
            if depth == 0:
                words += _words_of_body(pieces, replace(body, start=start, end=at))
            depth += 1
        elif mark in (ENDIF, ENDFOR):
            depth, start = depth - 1, end + 1
        elif depth > 0 and mark != ELSE and at < body.end:
            shown = pieces.source.shown(at, end)
            words.append(Word((Filled(shown),), shown, pieces.source, at))
        at = end + 1
    return (*words, *_words_of_body(pieces, replace(body, start=start))) if start < body.end else tuple(words)


def _plain(pieces: Pieces, body: Body) -> tuple[Word, ...]:
    words, at = [], body.start
    rows = pieces.text[body.start : body.end].split("\n")
    if not rows[-1]:
        rows.pop()
    for row in rows:
        text = row.lstrip("\t") if body.strips_tabs else row
        start, end = at + len(row) - len(text), at + len(row)
        words.append(Word(tuple(pieces.literal(text)), pieces.source.shown(start, end), pieces.source, start))
        at = end + 1
    return tuple(words)


def _expanded(pieces: Pieces, body: Body) -> tuple[Word, ...]:
    rows = _Rows(pieces, body)
    try:
        return rows.read()
    except NotReadable:
        return _plain(pieces, body)


class _Rows:
    def __init__(self, pieces: Pieces, body: Body) -> None:
        self.pieces, self.body = pieces, body
        self.words: list[Word] = []
        self.parts: list[WordPart] = []
        self.start = body.start

    def read(self) -> tuple[Word, ...]:
        at, end, text = self.body.start, self.body.end, self.pieces.text
        while (found := _EXPANDED.search(text, at, end)) is not None:
            self._text(at, found.start())
            at = self.pieces.part(found, end, True, self.parts)
        self._text(at, end)
        if self.parts:
            self._row(end)
        return tuple(self.words)

    def _text(self, start: int, end: int) -> None:
        text, at = self.pieces.text, start
        while at < end:
            newline = text.find("\n", at, end)
            stop = newline if newline >= 0 else end
            if self.body.strips_tabs and text[at - 1] == "\n":
                at = self._behind_tabs(at, stop)
            if stop > at:
                self.parts.append(Literal(text[at:stop], quoted=True))
            if newline >= 0:
                self._row(newline)
                self.start = newline + 1
            at = stop + 1

    def _behind_tabs(self, at: int, stop: int) -> int:
        begins = at == self.start
        while at < stop and self.pieces.text[at] == "\t":
            at += 1
        if begins:
            self.start = at
        return at

    def _row(self, end: int) -> None:
        source = self.pieces.source
        raw = source.shown(self.start, end)
        self.words.append(Word(join_parts(self.parts) or (Literal("", quoted=True),), raw, source, self.start))
        self.parts = []


_ASSIGNS = pattern(r"([A-Za-z_]\w*)(?:\[((?:[^\]\[]|\[[^\]]*\])*)\])?(\+?)=", re.ASCII | re.DOTALL)
# Bash looks for the end of such an index, however far away.
_OPEN_INDEX = pattern(r"\w+\[(?![^\]\[]*\])")
# Words of an array that are nothing else.
_ITEMS = pattern(r"(?:[^;&|<>()\[]|\[[^;&|<>()\[\] \t\n]*\])*")
_DECLARES = frozenset({"export", "local", "declare", "readonly", "typeset"})
_TESTS = frozenset({"[", "test"})
_ITEM = pattern(r"[^ \t\n]+")


class Simple:
    """Reads simple commands from a row of tokens."""

    def __init__(self, tokens: Tokens, pieces: Pieces) -> None:
        self.tokens, self.pieces, self.source = tokens, pieces, tokens.source

    def command(self) -> Statement:
        tokens, row, begin = self.tokens, self.tokens.row, self.tokens.at
        assignments: list[Assignment] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        if row[begin][0] == LINE:
            return self.line()
        read = self._word if self.source.broken else self.pieces.word
        while True:
            kind, token, at = row[tokens.at]
            if kind == WORD:
                if "=" in token and (not words or words[0].raw in _DECLARES) and self._assigns(token, at, assignments):
                    # Behind a redirection it is a word.
                    self.source.is_doubtful = self.source.is_doubtful or bool(redirects)
                    continue
                if "[" in token and _OPEN_INDEX.match(token):
                    self.source.is_doubtful = True
                tokens.at += 1
                words.append(read(at, at + len(token)))
            elif kind == REDIRECT:
                redirects.append(self.redirect())
            else:
                break
        if tokens.at == begin:
            raise NotReadable
        return self._made(words, assignments, tuple(redirects), row[begin][2])

    def line(self) -> Command:
        """A command that is a token as a whole."""
        _, token, start = self.tokens.row[self.tokens.at]
        source, end = self.source, start + len(token)
        if source.broken and source.is_broken(start, end):
            raise NotReadable
        self.tokens.at += 1
        line, column = source.place(start)
        return Command(PlainWords(source, start, token), (), (), line, column, source.shown(start, end))

    def word(self) -> Word:
        kind, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += kind in (LINE, WORD)
        if kind != WORD:
            raise NotReadable
        return self._word(start, start + len(token))

    def _word(self, start: int, end: int) -> Word:
        if self.source.broken and self.source.is_broken(start, end):
            raise NotReadable
        return self.pieces.word(start, end)

    def redirects(self) -> tuple[Redirect, ...]:
        found = []
        while self.tokens.row[self.tokens.at][0] == REDIRECT:
            found.append(self.redirect())
        return tuple(found)

    def redirect(self) -> Redirect:
        _, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        descriptor, operator = _split(token)
        if operator in ("<<", "<<-"):
            if self.tokens.row[self.tokens.at][0] != WORD:
                raise NotReadable
            self.tokens.at += 1
            return Redirect("<<", self._here(start + len(token) - len(operator)), descriptor)
        return Redirect(operator, self.word(), descriptor)

    def _here(self, start: int) -> HereDocument:
        body = self.source.bodies.get(start)
        if body is None:
            raise NotReadable
        return here_document(self.pieces, body)

    def _assigns(self, token: str, start: int, assignments: list[Assignment]) -> bool:
        """Adds the assignment that comes next, if it is one."""
        found = _ASSIGNS.match(token)
        if found is None:
            return False
        name, index, plus = found.groups()
        line, column = self.source.place(start)
        value, end = start + found.end(), start + len(token)
        if index is not None:
            index = self.source.shown(start + found.start(2), start + found.end(2))
        self.tokens.at += 1
        if value in self.source.arrays and self.source.ends.get(value) == end:
            assignments.append(Assignment(name, None, line, column, self._items(value), bool(plus), index))
            return True
        if self.source.broken and self.source.is_broken(start, end):
            raise NotReadable
        assignments.append(Assignment(name, self.pieces.word(value, end), line, column, (), bool(plus), index))
        return True

    def _items(self, start: int) -> tuple[Word, ...]:
        base, inside = self.source.insides[start]
        if _ITEMS.fullmatch(inside) is not None:
            self.source.read.add(start)
        return tuple(self.pieces.word(base + each.start(), base + each.end()) for each in _ITEM.finditer(inside))

    def _made(
        self, words: list[Word], assignments: list[Assignment], redirects: tuple[Redirect, ...], start: int
    ) -> Statement:
        source = self.source
        raw = source.shown(start, self.tokens.behind)
        line, column = source.place(start)
        name = words[0].raw if words else ""
        made: Test | Declaration
        if name in _DECLARES:
            made = _declaration(words, assignments, line, column, raw)
        elif name in _TESTS and not assignments:
            made = Test(_test(words, raw), line, column, raw)
        else:
            return Command(tuple(words), tuple(assignments), redirects, line, column, raw)
        return Redirected(made, redirects, line, column, raw) if redirects else made

    def double_brackets(self) -> Test:
        _, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        if start not in self.source.insides:
            raise NotReadable
        words = bracket_words(self.pieces, *self.source.insides[start])
        if is_plain_test(self.source.insides[start][1]):
            self.source.read.add(start)
        raw = self.source.shown(start, start + len(token))
        return Test(parse_test(words, raw, doubled=True), *self.source.place(start), raw)

    def arithmetic(self) -> Test:
        _, token, start = self.tokens.row[self.tokens.at]
        self.tokens.at += 1
        if start not in self.source.ends:
            raise NotReadable
        raw = self.source.shown(start, start + len(token))
        return Test(Opaque(raw), *self.source.place(start), raw)


def _test(words: list[Word], raw: str) -> TestExpression:
    if words[0].raw == "test":
        return parse_test(words[1:], raw, doubled=False)
    if words[-1].raw != "]":
        raise NotReadable
    return parse_test(words[1:-1], raw, doubled=False)


def _declaration(words: list[Word], assignments: list[Assignment], line: int, column: int, raw: str) -> Declaration:
    names: list[str] = []
    options = "".join(word.raw[1:] for word in words[1:] if word.raw.startswith("-"))
    for word in words[1:]:
        assignment = _declared(word)
        if assignment is not None:
            assignments.append(assignment)
        elif not word.raw.startswith("-"):
            names.append(word.raw)
    return Declaration(words[0].raw, tuple(assignments), tuple(names), line, column, raw, options)


def _declared(word: Word) -> Assignment | None:
    """`export "NAME=$value"`."""
    first = word.parts[0] if word.parts else None
    found = _ASSIGNS.match(first.text) if isinstance(first, Literal) else None
    if not isinstance(first, Literal) or found is None:
        return None
    name, index, plus = found.groups()
    rest = Literal(first.text[found.end() :], first.quoted)
    parts = join_parts([*([rest] if rest.text or len(word.parts) == 1 else []), *word.parts[1:]])
    before, _, raw = word.raw.partition("=")
    value = Word(parts, raw, word.source, word.start + len(before) + 1)
    return Assignment(name, value, *word.spot, (), bool(plus), index)


@lru_cache(maxsize=64)
def _split(token: str) -> tuple[int | None, str]:
    """The descriptor that is redirected, and the operator."""
    if token.startswith("{"):
        return None, token[token.index("}") + 1 :]
    operator = token.lstrip("0123456789")
    number = token[: len(token) - len(operator)]
    return (int(number) if 0 < len(number) < 10 else None), operator
