"""Where the lines of a text stand in the user's own file, through MIME parts, indentation and encodings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from nodeworthy.verdict import Place


class Origin(Protocol):
    def at(self, line: int, column: int = 1) -> Place:
        """The place of a line and column of the text, both counted from one."""
        ...


@dataclass(frozen=True, slots=True)
class Straight:
    """The text stands in the file as it is: from this place on, every line behind the same indentation."""

    start: Place

    def at(self, line: int, column: int = 1) -> Place:
        first = self.start
        return Place(
            first.path,
            (first.line or 1) + line - 1,
            (first.column or 1) + column - 1,
            first.urn,
            first.host,
            first.object,
            first.subject,
        )


@dataclass(frozen=True, slots=True)
class Folded:
    """The text is packed: all that the file shows of it is where it begins. The subject tells the line inside."""

    start: Place
    called: str = ""

    def at(self, line: int, column: int = 1) -> Place:  # noqa: ARG002 - packed text has no columns
        inside = f"line {line} of {self.called}" if self.called else f"line {line} inside"
        return self.start.about(inside)
