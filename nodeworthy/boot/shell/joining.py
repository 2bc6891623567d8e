"""Parts of a word that stand beside each other."""

from __future__ import annotations

from itertools import groupby

from nodeworthy.boot.shell.word_syntax import Literal, WordPart


def joined(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Neighbours that are both literal, quoted alike, are one."""
    if len(parts) == 1:
        return (parts[0],)
    result: list[WordPart] = []
    for key, group in groupby(parts, _alike):
        if key in (_PLAIN, _QUOTED):
            result.append(Literal("".join(part.text for part in group if isinstance(part, Literal)), key == _QUOTED))
        else:
            result += group
    return tuple(result)


_PLAIN, _QUOTED, _OTHER = range(3)


def _alike(part: WordPart) -> int:
    if isinstance(part, Literal):
        return _QUOTED if part.quoted else _PLAIN
    return _OTHER
