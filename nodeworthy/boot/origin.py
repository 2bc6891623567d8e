"""Where the lines of a text stand in the user's own file, through MIME parts, indentation and encodings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place


class Origin(Protocol):
    def at(self, line: int, column: int = 1) -> Place:
        """The place of a line and column of the text, both counted from one."""
        ...


@dataclass(slots=True, unsafe_hash=True)
class Straight:
    """The text stands in the file as it is: from this place on, every line behind the same indentation."""

    start: Place
    # So many lines and columns stand before it.
    _lines: int = field(init=False, repr=False, compare=False)
    _columns: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._lines, self._columns = (self.start.line or 1) - 1, (self.start.column or 1) - 1

    def at(self, line: int, column: int = 1) -> Place:
        first, row = self.start, self._lines + line
        return Place(first.path, row, self._columns + column, first.urn, first.host, first.object, first.subject)


@dataclass(frozen=True, slots=True)
class Folded:
    """The text is packed: all that the file shows of it is where it begins. The subject tells the line inside."""

    start: Place
    called: str = ""

    def at(self, line: int, column: int = 1) -> Place:  # noqa: ARG002 - packed text has no columns
        first = self.start
        inside = f"line {line} of {self.called}" if self.called else f"line {line} inside"
        return Place(first.path, first.line, first.column, first.urn, first.host, first.object, inside, line)


@dataclass(frozen=True, slots=True)
class Within:
    """A text inside of another one: some lines further down, behind an indentation of some columns."""

    outer: Origin
    lines: int
    columns: int = 0

    def at(self, line: int, column: int = 1) -> Place:
        return self.outer.at(line + self.lines, column + self.columns)


@dataclass(frozen=True, slots=True)
class Joined:
    """Lines that were joined or split while they were decoded: of each, where it begins in the outer text."""

    outer: Origin
    starts: Sequence[tuple[int, int]]

    def at(self, line: int, column: int = 1) -> Place:
        row, first = self.starts[min(line, len(self.starts)) - 1]
        return self.outer.at(row, first + column - 1)


@dataclass(frozen=True)
class Encoded:
    """A text that stands in base64: a byte of it is found in the line of base64 that holds the byte."""

    outer: Origin
    base64: str
    decoded: bytes
    called: str

    def at(self, line: int, column: int = 1) -> Place:
        starts = self._bytes
        byte = starts[min(line, len(starts)) - 1] + column - 1
        character = byte * 4 // 3
        row = bisect_right(self._characters, character) - 1
        inside = self.outer.at(row + 1, character - self._characters[row] + 1 + self._indents[row])
        return replace(inside, subject=f"line {line} of {self.called}", within=line)

    @cached_property
    def _bytes(self) -> list[int]:
        """The first byte of each line of the text."""
        starts = [0]
        for line in self.decoded.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts[:-1]

    @cached_property
    def _characters(self) -> list[int]:
        """How many characters of base64 stand before each line of base64."""
        starts = [0]
        for line in self.base64.split("\n"):
            starts.append(starts[-1] + len(line.strip()))
        return starts[:-1]

    @cached_property
    def _indents(self) -> list[int]:
        return [len(line) - len(line.lstrip()) for line in self.base64.split("\n")]


@dataclass(frozen=True)
class Stacked:
    """Texts below each other, each from its own place: of each, its first line in the whole."""

    firsts: Sequence[int]
    origins: Sequence[Origin]

    def at(self, line: int, column: int = 1) -> Place:
        index = max(0, bisect_right(self.firsts, line) - 1)
        return self.origins[index].at(line - self.firsts[index] + 1, column)


@dataclass(frozen=True, slots=True)
class Pinned:
    """A text whose lines can't be told apart in the file: all of it stands in one place."""

    place: Place

    def at(self, line: int, column: int = 1) -> Place:  # noqa: ARG002
        return self.place


def within(outer: Origin, lines: int, columns: int = 0) -> Origin:
    """The place of a text that begins so many lines and columns into another one."""
    if not lines and not columns:
        return outer
    if isinstance(outer, Straight):
        return Straight(outer.at(1 + lines, 1 + columns))
    if isinstance(outer, Within):
        return Within(outer.outer, outer.lines + lines, outer.columns + columns)
    return Within(outer, lines, columns)
