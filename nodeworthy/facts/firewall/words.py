"""A line of a firewall's own file, split into its words."""

from __future__ import annotations

from nodeworthy.boot.text import Hole, Piece, Text


def words_of(text: Text) -> list[Text]:
    """As the programs split it: at blanks, outside of quotes. A hole is a part of the word in which it stands."""
    words: list[Text] = []
    word: list[Piece] = []
    quote = ""
    for piece in text.pieces:
        if isinstance(piece, Hole):
            word.append(piece)
            continue
        for letter in piece:
            if quote:
                quote = "" if letter == quote else quote
                if quote:
                    word.append(letter)
            elif letter in "\"'":
                quote = letter
                word.append("")
            elif not letter.isspace():
                word.append(letter)
            elif word:
                words.append(Text.of(*word))
                word = []
    return [*words, Text.of(*word)] if word else words
