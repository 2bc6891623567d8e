"""Backslashes as echo -e, printf and $'…' read them."""

from __future__ import annotations

import re
from functools import partial

from nodeworthy.boot.text import Piece, Text
from nodeworthy.patterns import pattern

_PLAIN = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_QUOTES = {"'": "'", '"': '"', "?": "?"}
_CODES = r"\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}"
_ECHO = pattern(_CODES + r"|(?P<octal>0[0-7]{0,3})|.)", re.DOTALL)
_FORMAT = pattern(_CODES + r"|(?P<octal>[0-7]{1,3})|.)", re.DOTALL)
# printf's %b knows both spellings of an octal number.
_ARGUMENT = pattern(_CODES + r"|(?P<octal>0?[0-7]{1,3})|.)", re.DOTALL)
_STOP = "\\c"


def echoed(text: Text) -> tuple[Text, bool]:
    """What `echo -e` makes of it, and whether `\\c` ended everything there."""
    return _until_stop(text, _ECHO, quotes=False)


def of_argument(text: Text) -> tuple[Text, bool]:
    """What `printf %b` makes of it, and whether `\\c` ended everything there."""
    return _until_stop(text, _ARGUMENT, quotes=False)


def of_format(text: str) -> str:
    return _FORMAT.sub(partial(_replaced, quotes=True), text) if "\\" in text else text


def _until_stop(text: Text, pattern: re.Pattern[str], *, quotes: bool) -> tuple[Text, bool]:
    pieces: list[Piece] = []
    for piece in text.pieces:
        if not isinstance(piece, str) or "\\" not in piece:
            pieces.append(piece)
            continue
        done = pattern.sub(partial(_replaced, quotes=quotes), piece)
        if _STOP in done and _stops(pattern, piece):
            return Text.of(*pieces, done[: done.index(_STOP)]), True
        pieces.append(done)
    return Text.of(*pieces), False


def _stops(pattern: re.Pattern[str], piece: str) -> bool:
    return any(found.group() == _STOP for found in pattern.finditer(piece))


def _replaced(found: re.Match[str], *, quotes: bool) -> str:
    code = found.group()[1:]
    if code[0] in "xuU" and len(code) > 1:
        return chr(int(code[1:], 16))
    if found["octal"]:
        return chr(int(found["octal"], 8) & 0xFF)
    if code == "\\":
        return "\\"
    return _PLAIN.get(code) or (_QUOTES.get(code) if quotes else None) or found.group()
