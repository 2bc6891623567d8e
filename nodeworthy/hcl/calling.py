"""What a function knows of its call, and what several of them do with strings whose pieces are from many places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Piece,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    join_pieces,
    string,
    text,
    text_of,
)
from nodeworthy.limits import HCL_MOST_ELEMENTS
from nodeworthy.records import dataclass

# A function of ours: its arity is that of the one in Terraform, behind what it knows of its call.
Function = Any


@dataclass(slots=True)
class Calling:
    scope: Scope
    spot: Spot

    def told(self, text: str) -> Str:
        self.scope.world.budget.spend(len(text))
        return text_of(text, self.spot)

    def number(self, value: Any) -> Scalar:
        return Scalar(value, self.spot)

    def sequence(self, kind: str, items: Iterable[Value]) -> Seq:
        made = list(items)
        self.scope.world.budget.step(len(made))
        if len(made) > HCL_MOST_ELEMENTS:
            raise Refusal("so many elements")
        return Seq(kind, made, self.spot)

    def string(self, pieces: Sequence[Piece], secret: bool = False) -> Str:
        budget = self.scope.world.budget
        budget.spend(sum(len(each.text) for each in pieces if isinstance(each, Lit)) + len(pieces))
        return join_pieces(pieces, pieces[0].spot if pieces else self.spot, secret)


def cut(whole: Str, start: int, end: int) -> Str:
    """A part of a string without holes; its pieces keep their places."""
    pieces: list[Piece] = []
    at = 0
    for piece in whole.pieces:
        assert isinstance(piece, Lit)
        begin, close = max(start - at, 0), min(end - at, len(piece.text))
        if begin < close:
            pieces.append(Lit(piece.text[begin:close], piece.spot_at(begin), piece.straight))
        at += len(piece.text)
    return Str(pieces, pieces[0].spot if pieces else whole.spot, whole.secret)


def whole_text(value: Value) -> tuple[Str, str]:
    """A string, and all of its text. Raises Waits where a part is not known."""
    made = string(value)
    return made, text(made)


def countable_text(told: str, spot: Spot) -> str:
    """A text that is cut by its characters: where those are several code points, they are not counted here."""
    if "\r\n" in told or (not told.isascii() and any(each >= "\u0300" for each in told)):
        raise Waits(Hole("its characters are not counted here", spot))
    return told


def lines(made: Str) -> list[list[Piece]]:
    """The lines as rows of pieces, without what ends them; a hole may hold more lines."""
    rows: list[list[Piece]] = [[]]
    for piece in made.pieces:
        if isinstance(piece, Hole):
            rows[-1].append(piece)
            continue
        at = 0
        while (end := piece.text.find("\n", at)) >= 0:
            if at < end:
                rows[-1].append(Lit(piece.text[at:end], piece.spot_at(at), piece.straight))
            rows.append([])
            at = end + 1
        if at < len(piece.text):
            rows[-1].append(Lit(piece.text[at:], piece.spot_at(at), piece.straight))
    return rows
