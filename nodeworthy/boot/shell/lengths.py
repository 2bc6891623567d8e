"""How long a value may grow before it is followed no further: `A="$A$A"` doubles with every line."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.boot.text import Hole, Piece, Text

# More than any script means, in letters, in parts of one text, and in the elements of an array.
LETTERS, PIECES, ELEMENTS = 64 * 1024, 100, 150
WHY = "it grows longer than is followed here"


def letters(pieces: Iterable[Piece]) -> int:
    count = 0
    for piece in pieces:
        if isinstance(piece, str):
            count += len(piece)
    return count


def bounded(name: str, value: Text | tuple[Text, ...]) -> Text | tuple[Text, ...]:
    """The value of a variable; a hole where it has grown too long."""
    if isinstance(value, tuple):
        return value if len(value) <= ELEMENTS else Text((Hole(f"${name}", WHY),))
    if len(value.pieces) <= PIECES and letters(value.pieces) <= LETTERS:
        return value
    return Text((Hole(f"${name}", WHY),))
