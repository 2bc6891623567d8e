"""Lines that read like a fault and are printed where all is as it should be: the table of `harmless.toml`, typed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from nodeworthy.known.evidence.entries import expression_of
from nodeworthy.known.tables import read_table
from nodeworthy.records import dataclass

# What is longer has many entries of a log on one line, and says more than this.
_LONGEST = 2_000
# What a hole or a quote stands in may be printed otherwise.
_BROKEN = frozenset("<>'\"")


@dataclass(frozen=True)
class Harmless:
    """A text with the same signs for holes as those of evidence."""

    text: str
    # One as it was printed, and one that is like it and tells of a fault.
    line: str
    faulty: str
    why: str
    source: str


@cache
def harmless() -> tuple[Harmless, ...]:
    rows = read_table(Path(__file__).with_name("harmless.toml"))["harmless"]
    return tuple(Harmless(**row) for row in rows)


def without_harmless(text: bytes, small: bytes) -> bytes:
    """The text with blanks in place of each harmless line. `small` is the same in small letters, byte for byte."""
    spans = [span for mark, expression in _marked() if mark in small for span in _lines(expression, small)]
    if not spans:
        return text
    left = bytearray(text)
    for begin, end in spans:
        left[begin:end] = b" " * (end - begin)
    return bytes(left)


def _lines(expression: re.Pattern[bytes], small: bytes) -> list[tuple[int, int]]:
    found = []
    for match in expression.finditer(small):
        begin, end = small.rfind(b"\n", 0, match.start()) + 1, small.find(b"\n", match.end())
        end = len(small) if end < 0 else end
        if end - begin <= _LONGEST:
            found.append((begin, end))
    return found


@cache
def _marked() -> tuple[tuple[bytes, re.Pattern[bytes]], ...]:
    """Each with its longest word, which few texts have."""
    return tuple((_mark(each.text), expression_of(each.text)) for each in harmless())


def _mark(text: str) -> bytes:
    whole = [word for word in text.lower().split() if not _BROKEN.intersection(word)]
    return max(whole, key=len).encode()
