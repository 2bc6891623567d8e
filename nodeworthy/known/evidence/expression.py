"""How the words of an entry are looked for: by their words first, then by an expression, both in small letters."""

from __future__ import annotations

import re
from functools import cached_property

from nodeworthy.known.evidence.entries import Evidence
from nodeworthy.patterns import pattern

# An escaped quote (a journal's, JSON's), another one, or none at all: pasted words lose theirs.
_QUOTE = rb"""(?:\\*["'`]|\\u0022|&quot;|&#34;|\xe2\x80[\x98-\x9f])?"""
# Lines are wrapped between words; what joins them may be escaped. It gives nothing back: no hole and no word begins so.
_GAP = rb"[\s\\]{1,200}+"
_OF = {"<number>": rb"(?P<number>\d{1,9})", "<count>": rb"\d{1,9}", "<words>": rb"\S[^\n]{0,199}?"}
_WORD = rb"\S{1,200}?"
_HOLE = pattern(r"(<\w+>)")
_LITERAL = pattern(r"""(["'`]|\s+)""")

# What is no letter and no digit stands between two words; capitals are small letters.
_SMALL = bytes(each if chr(each).isalnum() and each < 128 else 32 for each in range(256)).lower()


class Pattern:
    """One text of an entry."""

    def __init__(self, evidence: Evidence, text: str) -> None:
        self.evidence = evidence
        self.text = text
        self.words = words_of(text)

    @cached_property
    def expression(self) -> re.Pattern[bytes]:
        # `Insufficient nvidia.com/gpu` is no part of `…/gpumem`, nor of `…/gpu.shared`.
        ends = rb"(?![a-z0-9_]|[.-][a-z0-9])" if self.text[-1].isalnum() else b""
        return re.compile(b"".join(map(_part, _HOLE.split(self.text))) + ends)


def words_of(text: str) -> frozenset[bytes]:
    """The whole words that a log which has this text must have: what touches a hole is a part of a word."""
    found: set[bytes] = set()
    parts = _HOLE.split(text)
    for index, part in enumerate(parts):
        if _HOLE.fullmatch(part):
            continue
        told = spread(part.encode())
        own = told.split()
        if own and index + 1 < len(parts) and not told.endswith(b" "):
            own.pop()
        if own and index > 0 and not told.startswith(b" "):
            own.pop(0)
        found.update(own)
    return frozenset(found)


def spread(text: bytes) -> bytes:
    """In small letters, with blanks for all that is neither letter nor digit."""
    return text.translate(_SMALL)


def _part(text: str) -> bytes:
    if _HOLE.fullmatch(text):
        return _OF.get(text, _WORD)
    return b"".join(map(_literal, _LITERAL.split(text.lower())))


def _literal(text: str) -> bytes:
    if text.isspace():
        return _GAP
    return _QUOTE if text in ('"', "'", "`") else re.escape(text.encode())
