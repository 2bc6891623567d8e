"""What `check --fix` would change to mend a finding, letter by letter, as whoever has read the file hands it over."""

from __future__ import annotations

from typing import Any

from nodeworthy.records import dataclass

# Line and column, both counted from 1, columns in characters.
Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    start: Position
    # Behind the last character that is taken out.
    end: Position
    is_: str
    should: str


@dataclass(frozen=True, slots=True)
class Offer:
    title: str
    path: str
    pieces: tuple[Piece, ...]


def as_data(offer: Offer) -> dict[str, Any]:
    return {"title": offer.title, "path": offer.path, "changes": [_piece_as_data(each) for each in offer.pieces]}


def _piece_as_data(piece: Piece) -> dict[str, Any]:
    told = {"is": piece.is_, "should": piece.should}
    return {"start": _position(piece.start), "end": _position(piece.end), **told}


def _position(at: Position) -> dict[str, int]:
    return {"line": at[0], "column": at[1]}
