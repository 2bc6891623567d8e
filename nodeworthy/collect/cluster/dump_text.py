"""The text of a file, piece by piece: a dump may be larger than memory."""

from __future__ import annotations

import codecs
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from nodeworthy.backstop import allow
from nodeworthy.documents.files import OPENED
from nodeworthy.limits import MOST_DIGITS, SECONDS_A_MIB_OF_JSON, without_long_numbers
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

STDIN = "-"
PIECE = 1 << 20
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb": "utf-8-sig"}


class Unreadable(Exception):
    pass


def text_of(path: Path) -> Iterator[str]:
    """The text of a file in pieces; of `-`, what comes through standard input. A number may lie across two pieces."""
    yield from _with_bounds(_read_pieces(path))


def text_of_part(path: Path, begins: int, ends: int) -> Iterator[str]:
    """The text of these bytes of a file, in pieces."""
    try:
        with path.open("rb") as file:
            file.seek(begins)
            yield from _with_bounds(_decoded(_Part(file, ends - begins)))
    except OSError as problem:
        raise Unreadable(f"it can't be read: {problem.strerror}") from None


@dataclass
class _Part:
    file: BinaryIO
    left: int

    def read(self, count: int) -> bytes:
        data = self.file.read(min(count, self.left))
        self.left -= len(data)
        return data


def _with_bounds(pieces: Iterable[str]) -> Iterator[str]:
    held = ""
    for piece in pieces:
        text = held + piece
        kept = text.rstrip("0123456789")
        held = text[len(kept) :][: MOST_DIGITS + 1]
        allow(len(piece) / 2**20 * SECONDS_A_MIB_OF_JSON)
        yield without_long_numbers(kept)
    yield without_long_numbers(held)


def whole_text(pieces: Iterable[str], most: int, why_not: str) -> str:
    """The text that can't be read in pieces. Raises Unreadable, with this reason, once there is more of it than
    `most`."""
    text, length = [], 0
    for each in pieces:
        text.append(each)
        length += len(each)
        if length > most:
            raise Unreadable(why_not)
    return "".join(text)


# Between its lists `kubectl cluster-info dump` prints the logs of containers.
_LOG_BEGINS = pattern(r"(?m)^==== START logs for container [^\n]{1,600}\n")
_LOG_ENDS = pattern(r"(?m)^==== END logs for container [^\n]{1,600}\n")
_WHOSE = pattern(r"for container (?P<container>\S{1,253}) of pod (?P<namespace>[^\s/]{1,253})/(?P<pod>\S{1,253})")
# Longer than any of these two lines.
_HELD = 1_000
# Of a log its end tells, and of so many pods no more are read in a folder either.
_TAIL, _MOST_LOGS = 16 << 10, 1_000

Whose = tuple[str, str, str]


class PrintedLogs:
    """The ends of the logs between the lists, by namespace, pod and container."""

    def __init__(self) -> None:
        self.of: dict[Whose, str] = {}
        self._now: Whose | None = None

    def begin(self, line: str) -> None:
        found = _WHOSE.search(line)
        whose = (found["namespace"], found["pod"], found["container"]) if found is not None else None
        self._now = whose if whose in self.of or len(self.of) < _MOST_LOGS else None

    def add(self, text: str) -> None:
        if self._now is not None:
            self.of[self._now] = (self.of.get(self._now, "") + text[-_TAIL:])[-_TAIL:]


def without_logs(pieces: Iterable[str], logs: PrintedLogs) -> Iterator[str]:
    """What is printed between a log's first and last line is no part of any list, and is kept as that log."""
    held, within = "", False
    for piece in pieces:
        text = held + piece
        kept, text, within = _outside(text, within, logs)
        line = text.rfind("\n") + 1
        cut = line if len(text) - line < _HELD else len(text)
        held = text[cut:]
        if within:
            logs.add(text[:cut])
        if out := kept if within else kept + text[:cut]:
            yield out
    kept, text, within = _outside(f"{held}\n", within, logs)
    if within:
        logs.add(text)
    yield kept if within else kept + text


def _outside(text: str, within: bool, logs: PrintedLogs) -> tuple[str, str, bool]:
    """What lies outside of logs, what is left behind the last of their lines, and whether that is in a log."""
    kept = []
    while found := (_LOG_ENDS if within else _LOG_BEGINS).search(text):
        if within:
            logs.add(text[: found.start()])
        else:
            kept.append(text[: found.start()])
            logs.begin(found.group())
        text, within = text[found.end() :], not within
    return "".join(kept), text, within


def _read_pieces(path: Path) -> Iterator[str]:
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


def _decoded(file: BinaryIO | _Part) -> Iterator[str]:
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
