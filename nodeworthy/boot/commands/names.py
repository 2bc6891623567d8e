"""Names of files and units that may have holes: their last part, their folder."""

from __future__ import annotations

import re

from nodeworthy.boot.text import Hole, Piece, Text

_PATTERN = re.compile(r"[*?]|\[[^\[\]]+\]")


def last_part(path: Text) -> Text:
    """What stands behind the last slash."""
    for index in range(len(path.pieces) - 1, -1, -1):
        piece = path.pieces[index]
        if isinstance(piece, str) and "/" in piece:
            return Text.of(piece.rsplit("/", 1)[1], *path.pieces[index + 1 :])
    return path


def below(folder: Text, name: Text) -> Text:
    pieces: list[Piece] = [*folder.pieces]
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] = pieces[-1].rstrip("/")
    return Text.of(*pieces, "/", *name.pieces)


def ending(text: Text) -> str:
    """What is known of it behind its last hole."""
    last = text.pieces[-1] if text.pieces else ""
    return last if isinstance(last, str) else ""


def halves(text: Text, separator: str) -> tuple[Text, Text] | None:
    """What stands before and behind the first separator that is known."""
    for index, piece in enumerate(text.pieces):
        if isinstance(piece, str) and separator in piece:
            before, after = piece.split(separator, 1)
            return Text.of(*text.pieces[:index], before), Text.of(after, *text.pieces[index + 1 :])
    return None


def fields(text: Text) -> list[Text]:
    """Split at blanks that are known."""
    found: list[list[Piece]] = [[]]
    for piece in text.pieces:
        if not isinstance(piece, str):
            found[-1].append(piece)
            continue
        words = piece.split()
        if not words or piece[0].isspace():
            found.append([])
        for index, word in enumerate(words):
            if index:
                found.append([])
            found[-1].append(word)
        if piece[-1].isspace():
            found.append([])
    return [Text.of(*pieces) for pieces in found if pieces]


def pattern(path: Text) -> Text:
    """A name with `*` in it stands for every name that fits."""
    pieces: list[Piece] = []
    for piece in path.pieces:
        if not isinstance(piece, str) or not _PATTERN.search(piece):
            pieces.append(piece)
            continue
        end = 0
        for found in _PATTERN.finditer(piece):
            pieces += [piece[end : found.start()], Hole(found[0], "a pattern stands for every name that fits")]
            end = found.end()
        pieces.append(piece[end:])
    return Text.of(*pieces)
