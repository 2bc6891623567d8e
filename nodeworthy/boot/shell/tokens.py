"""Commands as a row of tokens, and a reader that walks along it."""

from __future__ import annotations

import re

from nodeworthy.boot.shell.plain_line import PLAIN_LINE
from nodeworthy.boot.shell.source import NotReadable, Source
from nodeworthy.patterns import pattern

END, LINE, WORD, OPERATOR, REDIRECT = range(5)

# The blanks before a token are read with it: what is crossed out (heredocs, comments) are long rows of them.
_TOKEN = pattern(
    rf"{PLAIN_LINE}"
    r"|[ \t]*+(?:((?!(?:\d+|\{\w+\})[<>])[^ \t\n;&|()<>]++)"
    r"|(;;&|;;|;&|;|&&|&(?!>)|\|\||\|&|\||\(|\)|\n)"
    r"|((?:\d+|\{\w+\})?(?:<<<|<<-?|<>|<&|<|>&|>>|>\||>)|&>>?))",
    re.MULTILINE,
)


class Tokens:
    """Where we are in a row of tokens. `base` is the offset of its text in the source."""

    def __init__(self, source: Source, base: int, inside: str) -> None:
        self.source, self.base, self.inside = source, base, inside
        # Of each its kind, itself, its offset.
        self.row = [
            (kind := found.lastindex or END, found[kind], base + found.start(kind))
            # Nothing matches blanks at the end.
            for found in _TOKEN.finditer(inside.rstrip(" \t"))
        ]
        self.end = base + len(inside)
        self.row.append((END, "", self.end))
        self.at = 0

    @property
    def token(self) -> str:
        """What comes next, as it is read: quoted text is crossed out, the end is empty."""
        return self.row[self.at][1]

    @property
    def start(self) -> int:
        return self.row[self.at][2]

    @property
    def behind(self) -> int:
        """The offset behind the token that was read last."""
        if self.at == 0:
            return self.base
        _, token, start = self.row[self.at - 1]
        return start + len(token)

    def take(self, token: str) -> bool:
        if self.row[self.at][1] == token and token:
            self.at += 1
            return True
        return False

    def need(self, token: str) -> None:
        if not self.take(token):
            raise NotReadable

    def skip_newlines(self) -> None:
        while self.row[self.at][1] == "\n":
            self.at += 1
