"""A window on the text of a JSON document that comes piece by piece: what was read of it is forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from nodeworthy.patterns import pattern

_BLANK = pattern(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
# What ends or fails so near the end of a window may go on behind it: `12` of `123`, `\u00` of `\u00e9`.
_NEAR = 16
# Of characters. Kubernetes keeps no object of more than 2 MiB; an answer of Prometheus may be larger.
LARGEST = 128 << 20


class Fault(Exception):
    def __init__(self, why: str, line: int, column: int) -> None:
        super().__init__(why)
        self.why = why
        self.line = line
        self.column = column


class Window:
    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._at = 0
        # Where the window begins.
        self._line = self._column = 1

    def next(self) -> str:
        """The next character that is no blank, which stays; nothing at the end."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, what: str) -> None:
        if self.next() != what:
            raise self.fault(f"Expecting {what!r}")
        self._at += 1

    def value(self) -> Any:
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as problem:
                if not self._may_go_on(problem) or not self._more():
                    raise self.fault(problem.msg, problem.pos) from None
            else:
                if end + _NEAR <= len(self._text) or not self._more():
                    self._at = end
                    return value

    def fault(self, why: str, at: int | None = None) -> Fault:
        """Something is wrong here, or at another place of the window."""
        return Fault(why, *self._place(self._at if at is None else at))

    def _may_go_on(self, problem: json.JSONDecodeError) -> bool:
        return problem.msg.startswith("Unterminated string") or problem.pos + _NEAR > len(self._text)

    def _place(self, at: int) -> tuple[int, int]:
        lines = self._text.count("\n", 0, at)
        if not lines:
            return self._line, self._column + at
        return self._line + lines, at - self._text.rindex("\n", 0, at)

    def _more(self) -> bool:
        """Reads on, and forgets what lies behind. A long value doubles the window, so that it is tried a few times."""
        kept = len(self._text) - self._at
        if kept > LARGEST:
            raise self.fault(f"A value is larger than {LARGEST >> 20} MiB")
        fresh = list(self._fresh(kept))
        if not fresh:
            return False
        self._line, self._column = self._place(self._at)
        self._text = "".join((self._text[self._at :], *fresh))
        self._at = 0
        return True

    def _fresh(self, least: int) -> Iterator[str]:
        length = 0
        for piece in self._pieces:
            yield piece
            length += len(piece)
            if length >= least:
                return
