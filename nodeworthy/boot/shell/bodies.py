"""The bodies of heredocs as words, one a line."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.boot.shell.joining import joined
from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.source import Body, NotReadable
from nodeworthy.boot.shell.templates import DIRECTIVE, ELSE, ENDFOR, ENDIF, FOR, IF
from nodeworthy.boot.shell.word_syntax import Filled, HereDocument, Literal, Word, WordPart
from nodeworthy.patterns import pattern

_EXPANDED = pattern(r"\\[\\`$\n]|`|\$\(\(|\$[({\[]|\$[A-Za-z_0-9@*#?$!-]|\ue000(\d+)\ue001|\ue002.")


def here_document(pieces: Pieces, body: Body) -> HereDocument:
    lines = (_directed if DIRECTIVE in pieces.text[body.start : body.end] else _read)(pieces, body)
    line = pieces.source.place(body.start)[0]
    return HereDocument(body.quoted, lines, body.delimiter, line, not body.closed)


def _read(pieces: Pieces, body: Body) -> tuple[Word, ...]:
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
                words += _read(pieces, replace(body, start=start, end=at))
            depth += 1
        elif mark in (ENDIF, ENDFOR):
            depth, start = depth - 1, end + 1
        elif depth > 0 and mark != ELSE and at < body.end:
            shown = pieces.source.shown(at, end)
            words.append(Word((Filled(shown),), shown, pieces.source, at))
        at = end + 1
    return (*words, *_read(pieces, replace(body, start=start))) if start < body.end else tuple(words)


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
        self.words.append(Word(joined(self.parts) or (Literal("", quoted=True),), raw, source, self.start))
        self.parts = []
