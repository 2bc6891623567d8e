"""Commands as a row of tokens, and a reader that walks along it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

from nodeworthy.boot.shell.source import NotReadable, Source
from nodeworthy.boot.shell.syntax import Literal, Word
from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern

# Commands that stand on a line without quotes, values, redirects: read without a look at each word.

# Whatever begins with one of these may be more than a command.
_NAMES = (
    "if then elif else fi for in do done while until case esac select function time coproc test "
    "export local declare readonly typeset"
)
# Up to the end of the line or of the command, but not up to a single `|`: patterns of a case have one between them.
PLAIN_LINE = (
    rf"^[ \t]*+((?!(?:{_NAMES.replace(' ', '|')})\b)[A-Za-z0-9_./:@%+,-]++(?:[ \t]++[A-Za-z0-9_./:@%+,=~^*?-]++)*+)"
    r"(?=[ \t]*+(?:$|;|&&|\|\|))"
)
_WORD = pattern(r"[^ \t]+")


class PlainWords(Sequence[Word]):
    """Words that stand for themselves; where each of them stands is looked up only when somebody asks."""

    __slots__ = ("_line", "_made", "_source", "_start", "texts")

    def __init__(self, source: Source, start: int, line: str) -> None:
        self._source, self._start, self._line = source, start, line
        self._made: tuple[Word, ...] | None = None
        self.texts = tuple(map(_text, line.split()))

    def _words(self) -> tuple[Word, ...]:
        if self._made is None:
            self._made = tuple(map(self._word, _WORD.finditer(self._line), self.texts))
        return self._made

    def _word(self, found: re.Match[str], text: Text) -> Word:
        raw = found.group()
        return Word((Literal(raw),), raw, self._source, self._start + found.start(), text)

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, at: int) -> Word: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Word]: ...

    def __getitem__(self, at: int | slice) -> Word | Sequence[Word]:
        return self._words()[at]

    def __iter__(self) -> Iterator[Word]:
        return iter(self._words())

    def __eq__(self, other: object) -> bool:
        return self._words() == (tuple(other) if isinstance(other, PlainWords) else other)

    def __repr__(self) -> str:
        return repr(self._words())

    __hash__ = None  # type: ignore[assignment]


@lru_cache(maxsize=4096)
def _text(word: str) -> Text:
    return Text((word,))


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

    @property
    def opens_a_subshell(self) -> bool:
        """A bracket that is not closed at once."""
        return self.token == "(" and self.row[self.at + 1][1] != ")"

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
