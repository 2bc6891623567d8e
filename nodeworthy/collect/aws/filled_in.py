"""User data of which only a part is known: each line where it is written, and words for what fills in the rest."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Sequence

from nodeworthy.collect.aws.user_data import CALLED
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.values import Hole, Piece, Str
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place

# With these a template of the reader of boot scripts begins what it fills in; twice, they mean themselves.
_MARKS = ("${", "%{")
_GZIP = "gzip"
_AUTHORIZED = pattern(r"(?i)ssh[_-]authorized[_-]keys:[ \t]*\n[ \t]*-[ \t]*[\"']?\Z")
# What the header and the trailer of gzip are longer than those of zlib.
_GZIPS_OWN = 12


class Filled:
    """A text with words for what is not known, which the reader of boot scripts takes for a template's."""

    def __init__(self, said: Str, called: str) -> None:
        self._called = called
        self._pieces: Sequence[Piece] = said.pieces
        self._starts: list[int] = []
        self.is_template = said.hole is not None
        told: list[str] = []
        at = 0
        for piece in said.pieces:
            each = self._shown(piece)
            self._starts.append(at)
            told.append(each)
            at += len(each)
        self.text = "".join(told)
        self._lines = [0, *(index + 1 for index, each in enumerate(self.text) if each == "\n")]
        self._spot = said.spot

    def _shown(self, piece: Piece) -> str:
        if isinstance(piece, Hole):
            return f"${{{_word(piece.shown)}}}"
        return self._escaped(piece.text)

    def _escaped(self, text: str) -> str:
        for each in _MARKS if self.is_template else ():
            text = text.replace(each, f"{each[0]}{each}")
        return text

    def at(self, line: int, column: int = 1) -> Place:
        """The place of a line; of lines that stand in one line of the template, which of them it is."""
        offset = self._lines[min(line, len(self._lines)) - 1] + column - 1
        index = max(bisect_right(self._starts, offset) - 1, 0)
        piece = self._pieces[index]
        if isinstance(piece, Hole):
            return self._where_it_is_filled_in(index, piece)
        inside = min(offset - self._starts[index], max(len(piece.text) - 1, 0))
        if piece.straight:
            return piece.spot_at(inside).place
        place = piece.spot.place
        return Place(place.path, place.line, place.column, subject=f"line {line} of {self._called}", within=line)

    def _where_it_is_filled_in(self, index: int, hole: Hole) -> Place:
        """A parameter of CloudFormation stands where it is declared; here it is told of what it is written into."""
        before = self._pieces[index - 1] if index else hole
        if isinstance(before, Hole) or not before.straight or before.spot.file is not hole.spot.file:
            return hole.spot.place
        end = before.spot_at(len(before.text))
        return end.place if hole.spot.at < before.spot.at else hole.spot.place


def _word(shown: str) -> str:
    return shown.replace("{", "(").replace("}", ")").replace("\n", " ") or "a value"


def script_of(
    said: Str, around: Surroundings | None, taken_off: Sequence[str] = (), *, called: str = CALLED
) -> BootScript:
    from nodeworthy.boot.unpack import unpack

    place = said.spot.place
    if len(said.pieces) == 1 and isinstance(said.pieces[0], Hole):
        hole = said.pieces[0]
        why = f"the user data is not known: {hole.why}"
        return BootScript(place, None, why, holds_secret=hole.secret, of_an_object=True)
    filled = Filled(said, called)
    read = unpack(filled.text.encode(), place, template=filled.is_template, origin=filled, taken_off=taken_off)
    if _GZIP in taken_off and read.size is not None:
        read = replace(read, size=len(zlib.compress(filled.text.encode())) + _GZIPS_OWN)
    return BootScript(place, read, of_an_object=True, holds_secret=_holds_secret(said), surroundings=around)


def _holds_secret(said: Str) -> bool:
    """What a template hides of a parameter, EC2 shows in its machine's user data."""
    hidden = [at for at, each in enumerate(said.pieces) if isinstance(each, Hole) and each.secret]
    if not hidden:
        return said.secret
    return not all(_is_authorized_key(said.pieces, at) for at in hidden)


def _is_authorized_key(pieces: Sequence[Piece], at: int) -> bool:
    """Whether a key that may log in is filled in: it is the public one, also where the name of its file is hidden."""
    before = "".join("" if isinstance(each, Hole) else each.text for each in pieces[max(at - 4, 0) : at])
    return _AUTHORIZED.search(before[-200:]) is not None
