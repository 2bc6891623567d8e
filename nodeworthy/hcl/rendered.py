"""A string as one text, for a reader of YAML or shell: holes are words in it, and every line knows its place.

A word for a hole is made of letters that nobody else uses, so that it is found again in whatever was read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import Hole, Lit, Piece, Str
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

# Letters for private use: no document means anything by them.
_BEGIN, _END = "\ue000", "\ue001"
_HIDDEN = pattern(f"{_BEGIN}(\\d+){_END}")


class Rendered:
    def __init__(self, made: Str) -> None:
        self.made = made
        self._holes: list[Hole] = []
        texts: list[str] = []
        # Of each piece, where it begins in the text.
        self._starts: list[int] = []
        at = 0
        for piece in made.pieces:
            told = piece.text if isinstance(piece, Lit) else self._word(piece)
            self._starts.append(at)
            texts.append(told)
            at += len(told)
        self.text = "".join(texts)
        self._line_starts = [0, *(index + 1 for index, each in enumerate(self.text) if each == "\n")]

    def _word(self, hole: Hole) -> str:
        self._holes.append(hole)
        return f"{_BEGIN}{len(self._holes) - 1}{_END}"

    def offset(self, line: int, column: int) -> int:
        return self._line_starts[min(line, len(self._line_starts)) - 1] + column - 1

    def spot_at(self, offset: int) -> Spot:
        if not self._starts:
            return self.made.spot
        index = max(bisect_right(self._starts, offset) - 1, 0)
        piece = self.made.pieces[index]
        if isinstance(piece, Hole):
            return piece.spot
        return piece.spot_at(min(offset - self._starts[index], max(len(piece.text) - 1, 0)))

    def spot(self, place: Place) -> Spot:
        return self.spot_at(self.offset(place.line or 1, place.column or 1))

    def at(self, line: int, column: int = 1) -> Place:
        """Where a line of it was written."""
        return self.spot_at(self.offset(line, column)).place

    def is_quoted(self, place: Place) -> bool:
        return self.text[self.offset(place.line or 1, place.column or 1) :][:1] in ('"', "'")

    def hole(self, text: str) -> Hole | None:
        """The first that stands in a part of it."""
        found = _HIDDEN.search(text) if self._holes else None
        return self._holes[int(found[1])] if found is not None and int(found[1]) < len(self._holes) else None

    def origin(self, text: str) -> str | None:
        """What a text waits for that was made of it."""
        hole = self.hole(text)
        return hole.shown or hole.why if hole is not None else None

    def pieces(self, tree: Tree) -> Sequence[Piece]:
        """The pieces of a text that was read in the rendered document."""
        assert isinstance(tree.value, str)
        if tree.inside is not None:
            return list(self._block(tree.value, tree.inside))
        return list(self._filled(tree.value, self.spot(tree.place)))

    def _block(self, text: str, inside: Place) -> Iterator[Piece]:
        """A literal block: each of its lines stands in a line of its own."""
        for index, line in enumerate(text.splitlines(keepends=True)):
            spot = self.spot_at(self.offset((inside.line or 1) + index, inside.column or 1))
            yield from self._filled(line, spot)

    def _filled(self, text: str, spot: Spot) -> Iterator[Piece]:
        at = 0
        for found in _HIDDEN.finditer(text) if self._holes else ():
            if found.start() > at:
                yield Lit(text[at : found.start()], spot)
            yield self._holes[int(found[1])]
            at = found.end()
        if at < len(text) or not text:
            yield Lit(text[at:], spot)
