"""The lines of a piece on which all words of an entry stand together: only there its expression is tried. Of a log that
is full of faults a piece holds the words of hundreds of entries, and few of them on one line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_

from nodeworthy.known.evidence.entries import Pattern, spread

# What is longer counts as several lines: a log may have all its entries on one.
_LONG = 4_096


class Lines:
    """Lines as they are seen by a gap: one without a word stands in no one's way and belongs to the one before it."""

    def __init__(self, small: bytes, known: frozenset[bytes]) -> None:
        self._small = small
        self._starts: list[int] = []
        self._real = small.count(b"\n")
        self._has_long = False
        # For each word a number whose bit N is set where line N has it, or one of the 2, 4, 8… from there on.
        self._within = [self._read(known)]

    def places(self, entry: Pattern) -> Iterator[tuple[int, int]]:
        """The spans in which the entry may be found: each gap between its words may be the end of a line."""
        ends = self._ends_within(entry)
        words = self._near(ends.bit_length())
        begins = reduce(and_, map(words.__getitem__, entry.words))
        start = end = 0
        while begins:
            lowest = begins & -begins
            # A carry runs through all lines that follow each other.
            behind = begins + lowest & -(begins + lowest)
            begins &= -behind
            first = self._starts[lowest.bit_length() - 1]
            if end < first:
                if end:
                    yield start, end
                start = first
            end = self._ends(behind.bit_length() - 2 + ends)
        if end:
            yield start, end

    def _ends_within(self, entry: Pattern) -> int:
        """How many lines, or parts of a long one, may end within what it matches."""
        real = min(entry.gaps, self._real)
        return real + 1 + entry.longest // _LONG if self._has_long else real

    def _ends(self, line: int) -> int:
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self._small)

    def _near(self, level: int) -> dict[bytes, int]:
        while len(self._within) <= level:
            lines = 1 << (len(self._within) - 1)
            self._within.append({word: found | found >> lines for word, found in self._within[-1].items()})
        return self._within[level]

    def _read(self, known: frozenset[bytes]) -> dict[bytes, int]:
        found: dict[bytes, int] = {}
        at, bit = 0, 1
        for line in self._in_parts():
            words = spread(line).split()
            if words:
                self._starts.append(at)
                for word in known.intersection(words):
                    found[word] = found.get(word, 0) | bit
                bit <<= 1
            at += len(line)
        return found

    def _in_parts(self) -> Iterator[bytes]:
        for line in self._small.split(b"\n"):
            if len(line) > _LONG:
                self._has_long = True
                yield from _parts_of(line + b"\n")
            else:
                yield line + b"\n"


def _parts_of(line: bytes) -> Iterator[bytes]:
    """Each ends behind a blank, where there is one: no word is torn in two."""
    at = 0
    while at < len(line):
        end = at + _LONG
        end = line.rfind(b" ", at, end) + 1 or end if end < len(line) else len(line)
        yield line[at:end]
        at = end
