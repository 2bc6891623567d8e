"""The text of a file with its lines where they are: a position is an offset, and nothing is written anew."""

from __future__ import annotations

import codecs
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property

from nodeworthy.documents.files import line_starts
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding


@dataclass(frozen=True)
class Change:
    start: int
    end: int
    new: str

    def meets(self, other: Change) -> bool:
        """Whether both change one place. What is merely put between two characters meets only what takes those out."""
        if self.start == self.end or other.start == other.end:
            return self.start < other.end and other.start < self.end
        return max(self.start, other.start) < min(self.end, other.end)


@dataclass(frozen=True)
class Fix:
    """What mends these findings, all of them in one file."""

    findings: tuple[Finding, ...]
    changes: tuple[Change, ...]
    # In a reader's words, as an editor offers it.
    title: str

    @property
    def path(self) -> str:
        return self.findings[0].where.file


@dataclass(frozen=True)
class Left:
    """A finding that is not mended, and why."""

    finding: Finding
    why: str


class NotMended(Exception):
    """Why a finding can't be mended where it stands."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def apply_changes(text: str, changes: Iterable[Change]) -> str:
    """The text with all of them made; none of them may meet another."""
    pieces, behind = [], 0
    for each in sorted(changes, key=lambda change: (change.start, change.end)):
        pieces += [text[behind : each.start], each.new]
        behind = each.end
    return "".join([*pieces, text[behind:]])


def apart(fixes: Sequence[Fix]) -> tuple[list[Fix], list[Fix]]:
    """Splits fixes of one file: those that can be made together, and those that want one place to become two things."""
    told: dict[tuple[Change, ...], Fix] = {}
    for each in fixes:
        same = told.get(each.changes)
        told[each.changes] = each if same is None else Fix((*same.findings, *each.findings), each.changes, same.title)
    every = list(told.values())
    against = _meeting(every)
    return [each for at, each in enumerate(every) if at not in against], [every[at] for at in sorted(against)]


def _meeting(fixes: Sequence[Fix]) -> set[int]:
    """Sorted by where they begin, so that of thousands only neighbours are compared."""
    changes = sorted(
        ((change, at) for at, fix in enumerate(fixes) for change in fix.changes),
        key=lambda each: (each[0].start, each[0].end),
    )
    found: set[int] = set()
    open_ones: list[tuple[Change, int]] = []
    for change, at in changes:
        open_ones = [each for each in open_ones if each[0].end > change.start]
        for other, its in open_ones:
            if its != at and change.meets(other):
                found |= {at, its}
        open_ones.append((change, at))
    return found


@dataclass(frozen=True)
class Text:
    """The text of a file as it stands there, line ends included. Only the byte order mark is set aside."""

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
        return line_starts(self.text)

    @property
    def lines(self) -> int:
        return len(self._starts)

    def offset(self, line: int, column: int = 1) -> int | None:
        """The offset of a position; line and column are counted from 1. None where there is no such position."""
        if not 1 <= line <= len(self._starts) or column < 1:
            return None
        at = self._starts[line - 1] + column - 1
        return at if at <= self.end(line) else None

    def end(self, line: int) -> int:
        """The offset at which a line ends, before the characters that end it."""
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
