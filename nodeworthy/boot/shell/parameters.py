"""`${…}`: a name, and what is done with its value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nodeworthy.boot.shell.joining import joined
from nodeworthy.boot.shell.source import NotReadable
from nodeworthy.boot.shell.word_syntax import Parameter, Word
from nodeworthy.patterns import pattern

if TYPE_CHECKING:
    from nodeworthy.boot.shell.pieces import Pieces

_EXPANSION = pattern(
    r"(?P<before>[#!]?)(?P<name>[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?P<index>(?:[^\]\[]|\[[^\]]*\])*)\])?", re.ASCII
)
_OPERATOR = pattern(r":[-=+?]|##?|%%?|//?|\^\^?|,,?|[-=+?:@]")


def parameter(pieces: Pieces, start: int, end: int, quoted: bool) -> Parameter:
    raw, text = pieces.source.shown(start, end), pieces.text
    found = _EXPANSION.match(text, start + 2, end - 1)
    if found is None:
        raise NotReadable
    name, before, behind = found["name"], found["before"], found.end()
    if before and behind == end - 1:
        return Parameter(name, raw, "length" if before == "#" else "!", None, found["index"], quoted)
    if before == "!":
        # `${!prefix*}`, `${!name:-word}`
        return Parameter(text[start + 3 : end - 1], raw, "!", None, None, quoted)
    if before:
        # `${#:-word}`: of the number of arguments.
        return _operated(pieces, Parameter("#", raw, quoted=quoted), start + 3, end - 1)
    return _operated(pieces, Parameter(name, raw, index=found["index"], quoted=quoted), behind, end - 1)


def _operated(pieces: Pieces, plain: Parameter, at: int, end: int) -> Parameter:
    if at == end:
        return plain
    operator = _OPERATOR.match(pieces.text, at, end)
    if operator is None:
        raise NotReadable
    start = operator.end()
    parts = pieces.deeper(start, end, plain.quoted)
    argument = Word(joined(parts), pieces.source.shown(start, end), pieces.source, start)
    return Parameter(plain.name, plain.raw, operator.group(), argument, plain.index, plain.quoted)
