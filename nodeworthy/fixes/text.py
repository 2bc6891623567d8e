"""The text of a file with its lines where they are: a position is an offset, and nothing is written anew."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from functools import cached_property

from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Text:
    """As it stands in the file, line ends included; only the byte order mark is set aside."""

    path: str
    text: str
    mark: bytes = b""

    @staticmethod
    def of(path: str, data: bytes) -> Text:
        """Raises UnicodeDecodeError where it is no UTF-8."""
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        return Text(path, data[len(mark) :].decode("utf-8"), mark)

    @property
    def data(self) -> bytes:
        return self.mark + self.text.encode("utf-8")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    @property
    def lines(self) -> int:
        return len(self._starts)

    def offset(self, line: int, column: int = 1) -> int | None:
        """Where this position is, both counted from 1; None where there is none."""
        if not 1 <= line <= len(self._starts) or column < 1:
            return None
        at = self._starts[line - 1] + column - 1
        return at if at <= self.end(line) else None

    def end(self, line: int) -> int:
        """Where a line ends, before what ends it."""
        last = line >= len(self._starts)
        end = len(self.text) if last else self._starts[line] - 1
        return end - 1 if end > self._starts[line - 1] and self.text[end - 1] == "\r" else end

    def line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both counted from 1."""
        line = self.line_of(offset)
        return line, offset - self._starts[line - 1] + 1

    def start(self, line: int) -> int:
        return self._starts[line - 1]

    def line(self, number: int) -> str:
        """A line without its end; empty where there is none."""
        if not 1 <= number <= len(self._starts):
            return ""
        return self.text[self._starts[number - 1] : self.end(number)]

    def line_end(self, line: int) -> str:
        """What ends this line, or else the line above."""
        for number in (line, line - 1):
            if 1 <= number < len(self._starts):
                return self.text[self.end(number) : self._starts[number]]
        return "\n"
