"""What a script puts into a file: lines, each with the place where it was written."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.text import EMPTY, Hole, Piece, Text
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place


# Neither is frozen: nobody changes one, and to freeze it takes longer than to find it.
@dataclass(slots=True, unsafe_hash=True)
class Line:
    text: Text
    place: Place


@dataclass(slots=True, unsafe_hash=True)
class Content:
    """The lines of a file. A line that is a hole as a whole may stand for any number of lines."""

    lines: tuple[Line, ...] = ()
    # No line end stands behind its last line: what is appended goes on there.
    is_open: bool = False
    # All of it, once somebody asked for it.
    _text: Text | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def text(self) -> Text:
        if self._text is None:
            pieces: list[Piece] = []
            for line in self.lines:
                pieces += line.text.pieces
                pieces.append("\n")
            self._text = Text.of(*pieces)
        return self._text

    @property
    def known(self) -> str | None:
        """The whole content, or None where a part of it is not known."""
        return self.text.known

    def __add__(self, other: Content) -> Content:
        if not self.is_open or not self.lines or not other.lines:
            return Content(self.lines + other.lines, other.is_open if other.lines else self.is_open)
        last, first = self.lines[-1], other.lines[0]
        joined = Line(last.text + first.text, first.place)
        return Content((*self.lines[:-1], joined, *other.lines[1:]), other.is_open)

    @property
    def hole(self) -> Hole | None:
        """What it is where nothing of it is known; None where something is."""
        pieces = self.lines[0].text.pieces if len(self.lines) == 1 else ()
        return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], Hole) else None

    @property
    def printed_by(self) -> str:
        """The program of which this is the output, where no more than that is known."""
        hole = self.hole
        return hole.shown.removeprefix("$(").removesuffix(")") if hole is not None else ""

    def find(self, wanted: str) -> Iterator[Line]:
        """The lines in whose known parts this stands."""
        return (line for line in self.lines if line.text.contains(wanted))


def lines_of(text: Text, place: Place) -> tuple[Line, ...]:
    """A text of several lines that all stand in one place, as printf writes them."""
    known = text.known
    if known is not None:
        texts = known.split("\n")
        if len(texts) > 1 and not texts[-1]:
            texts.pop()
        return tuple([Line(Text((each,)) if each else EMPTY, place) for each in texts])
    rows: list[list[Piece]] = [[]]
    for piece in text.pieces:
        if not isinstance(piece, str):
            rows[-1].append(piece)
            continue
        first, *others = piece.split("\n")
        rows[-1].append(first)
        rows += [[each] for each in others]
    if len(rows) > 1 and not any(rows[-1]):
        rows.pop()
    return tuple(Line(Text.of(*row), place) for row in rows)
