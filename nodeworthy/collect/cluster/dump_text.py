"""The text of a file, piece by piece: a dump may be larger than memory."""

from __future__ import annotations

import codecs
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from nodeworthy.backstop import allow
from nodeworthy.documents.files import OPENED
from nodeworthy.limits import MOST_DIGITS, SECONDS_A_MIB_OF_JSON, without_long_numbers

STDIN = "-"
PIECE = 1 << 20
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb": "utf-8-sig"}


class Unreadable(Exception):
    pass


def text_of(path: Path) -> Iterator[str]:
    """Of `-` what comes through standard input. A number may lie across two pieces."""
    held = ""
    for piece in _written(path):
        text = held + piece
        kept = text.rstrip("0123456789")
        held = text[len(kept) :][: MOST_DIGITS + 1]
        allow(len(piece) / 2**20 * SECONDS_A_MIB_OF_JSON)
        yield without_long_numbers(kept)
    yield without_long_numbers(held)


def _written(path: Path) -> Iterator[str]:
    if str(path) == STDIN:
        yield from _decoded(sys.stdin.buffer)
        return
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not str(path).startswith(OPENED):
            raise Unreadable("this is no regular file")
        with path.open("rb") as file:
            yield from _decoded(file)
    except OSError as problem:
        raise Unreadable(f"it can't be read: {problem.strerror}") from None


def _decoded(file: BinaryIO) -> Iterator[str]:
    data = file.read(PIECE)
    decoder = codecs.getincrementaldecoder(_BYTE_ORDER_MARKS.get(data[:2], "utf-8"))()
    before = 0
    while data:
        # A character may lie across two pieces.
        begins = before - len(decoder.getstate()[0])
        before += len(data)
        following = file.read(PIECE)
        try:
            text = decoder.decode(data, final=not following)
        except UnicodeDecodeError as problem:
            byte, name = begins + problem.start, problem.encoding.upper()
            raise Unreadable(f"it is no text: byte {byte} is not {name}") from None
        yield text
        data = following
