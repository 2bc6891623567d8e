"""A file of HCL and the spots in it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from nodeworthy.documents.files import line_starts
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


class File:
    """The text of a file, and where its lines begin, once somebody asks for a place."""

    def __init__(self, shown: str, text: str) -> None:
        self.shown = shown
        self.text = text
        # Whether it is a template that somebody fills in, and what stands in it is what it becomes there.
        self.is_filled_in = False
        # Whether a release takes what stands in it for its values, or for some of them.
        self.is_of_a_release = False

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self.text)

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def place(self, at: int) -> Place:
        line = self.line(at)
        return Place(self.shown, line, at - self._starts[line - 1] + 1)

    def offset(self, line: int, column: int) -> int:
        return self._starts[min(line, len(self._starts)) - 1] + column - 1


# Not frozen: every literal has one.
@dataclass(slots=True, unsafe_hash=True)
class Spot:
    """A place that nobody has asked for yet."""

    file: File
    at: int

    @property
    def place(self) -> Place:
        return self.file.place(self.at)


class Malformed(Exception):
    """A file that Terraform refuses, too: why, and where."""

    def __init__(self, why: str, place: Place) -> None:
        super().__init__(f"{place}: {why}")
        self.why = why
        self.place = place
