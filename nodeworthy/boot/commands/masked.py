"""Texts with holes as plain strings and back: each hole is one character that no script writes."""

from __future__ import annotations

from nodeworthy.boot.text import Hole, Piece, Text

_FIRST = 0xE000
_MOST = 0x1800


class Mask:
    def __init__(self) -> None:
        self._holes: list[Hole] = []
        self._at: dict[Hole, str] = {}

    def on(self, text: Text) -> str | None:
        """None where there are more holes than can be told apart."""
        if text.known is not None:
            return text.known
        written = [piece if isinstance(piece, str) else self._character(piece) for piece in text.pieces]
        return "".join(written) if len(self._holes) < _MOST else None

    def off(self, written: str) -> Text:
        if not self._holes:
            return Text.of(written)
        pieces: list[Piece] = []
        for letter in written:
            index = ord(letter) - _FIRST
            pieces.append(self._holes[index] if 0 <= index < len(self._holes) else letter)
        return Text.of(*pieces)

    def filled(self, written: str, filler: str) -> str | None:
        """With every hole filled by this character; None where there is none."""
        last = chr(_FIRST + len(self._holes))
        if not self._holes or not any("\ue000" <= letter < last for letter in written):
            return None
        return "".join(filler if "\ue000" <= letter < last else letter for letter in written)

    def _character(self, hole: Hole) -> str:
        if hole not in self._at:
            self._at[hole] = chr(_FIRST + len(self._holes))
            self._holes.append(hole)
        return self._at[hole]
