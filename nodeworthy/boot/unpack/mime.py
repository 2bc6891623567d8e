"""Splits a MIME message as Python's own parser does, and knows the line of everything.

The standard library reads the headers; where one part ends and the next begins is found here, for its parser keeps
no positions and forgives in silence what nodeadm's does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from email.message import Message
from email.parser import HeaderParser

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Deeper than anybody nests; every level reads its lines again.
DEEPEST = 8
# More parts than anybody writes, and longer headers.
MOST = 500
_LONGEST = 16_000

HEADER = pattern(r"(From |[\041-\071\073-\176]*:|[\t ])")


@dataclass
class Entity:
    """A message or a part of one. Lines are counted from zero, over the whole text."""

    headers: Message
    first: int  # its first line, a header's
    body: int  # its first line behind the headers
    end: int  # the first line that is not its own any more
    # A line that is no header stands where the blank line should.
    runs_on: bool = False
    # None where it is no multipart, or can't be split.
    parts: list[Entity] | None = None
    boundary: str | None = None
    closed: bool = True
    # Where the closing boundary stands, and parts behind it that nobody reads.
    closing: int | None = None
    lost: list[int] = field(default_factory=list)
    too_deep: bool = False

    @property
    def content_type(self) -> str:
        return self.headers.get_content_type()

    @property
    def is_multipart(self) -> bool:
        return self.headers.get_content_maintype() == "multipart"

    def leaves(self) -> Iterator[Entity]:
        if not self.is_multipart:
            yield self
        for part in self.parts or ():
            yield from part.leaves()


class Lines:
    """The lines of a text, without their ends."""

    def __init__(self, text: str) -> None:
        self.all = text.split("\n")
        # How many parts may still be read, and the line from which on no more was.
        self.room = MOST
        self.full: int | None = None

    def __getitem__(self, index: int) -> str:
        return self.all[index].removesuffix("\r")

    def __len__(self) -> int:
        return len(self.all)

    def text(self, first: int, end: int) -> str:
        return "\n".join(self.all[first:end])


def read_message(lines: Lines, boundary: str | None = None) -> Entity:
    """The message. `boundary` is what really separates its parts, where its header says something else or nothing."""
    return _entity(lines, 0, len(lines), 0, boundary)


def _entity(lines: Lines, first: int, end: int, depth: int, boundary: str | None = None) -> Entity:
    body = first
    while body < end and HEADER.match(lines[body]):
        body += 1
    runs_on = body < end and lines[body] != ""
    headers = HeaderParser().parsestr(_header(lines, first, body))
    entity = Entity(headers, first, body if runs_on else min(body + 1, end), end, runs_on=runs_on)
    if entity.is_multipart:
        entity.boundary = boundary or _boundary(headers)
        entity.too_deep = depth >= DEEPEST
        if entity.boundary is not None and not entity.too_deep:
            _split(entity, lines, depth)
    return entity


def _header(lines: Lines, first: int, end: int) -> str:
    header = "\n".join(lines[line] for line in range(first, min(end, first + 1000)))
    return header[:_LONGEST] + "\n"


def _boundary(headers: Message) -> str | None:
    try:
        boundary = headers.get_boundary()
    except (ValueError, LookupError, TypeError):
        return None
    return str(boundary) if boundary else None


def _split(entity: Entity, lines: Lines, depth: int) -> None:
    begins, entity.closing = _separators(entity, lines)
    if not begins:
        return
    entity.closed = entity.closing is not None
    ends = [*begins[1:], entity.end if entity.closing is None else entity.closing]
    # Two separators in a row hold nothing between them.
    spans = [(begin + 1, end) for begin, end in zip(begins, ends, strict=True) if end > begin + 1]
    entity.parts = []
    for first, end in spans:
        if lines.room == 0:
            lines.full = first if lines.full is None else lines.full
            break
        lines.room -= 1
        entity.parts.append(_entity(lines, first, end, depth + 1))


def _separators(entity: Entity, lines: Lines) -> tuple[list[int], int | None]:
    """The lines that begin a part, and the one that closes the last."""
    begins: list[int] = []
    closing: int | None = None
    separator = re.compile(f"--{re.escape(entity.boundary or '')}(?P<end>--)?[ \t]*")
    for line in range(entity.body, entity.end):
        if not lines.all[line].startswith("--"):
            continue
        found = separator.fullmatch(lines[line])
        if found is None:
            continue
        if closing is not None:
            entity.lost.append(line)
        elif found["end"]:
            closing = line
        else:
            begins.append(line)
    return begins, closing
