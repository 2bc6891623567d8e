"""Finds the MIME message in a text, and says what is wrong with its header and its boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser

from nodeworthy.boot.origin import Origin, within
from nodeworthy.boot.unpack.kinds import Type
from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# Splits a MIME message as Python's own parser does, and knows the line of everything.
#
# The standard library reads the headers; where one part ends and the next begins is found here, for its parser keeps
# no positions and forgives in silence what nodeadm's does not.

# Deeper than anybody nests; every level reads its lines again.
DEEPEST = 8
# More parts than anybody writes, and longer headers.
MOST = 500
_LONGEST = 16_000

HEADER = pattern(r"(From |[\041-\071\073-\176]*:|[\t ])")
# Terraform leaves nothing of a directive that stands alone, and takes the end of its line away where `~` says so.
_VANISHES = pattern(r"%\{[^}]*~\}[ \t]*\r?")
_LEAVES_A_BLANK = pattern(r"%\{[^}]*\}[ \t]*\r?")


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
    while body < end and (HEADER.match(lines[body]) or _VANISHES.fullmatch(lines[body])):
        body += 1
    runs_on = body < end and lines[body] != "" and not _LEAVES_A_BLANK.fullmatch(lines[body])
    headers = HeaderParser().parsestr(_header(lines, first, body))
    entity = Entity(headers, first, body if runs_on else min(body + 1, end), end, runs_on=runs_on)
    if entity.is_multipart:
        entity.boundary = boundary or _boundary(headers)
        entity.too_deep = depth >= DEEPEST
        if entity.boundary is not None and not entity.too_deep:
            _split(entity, lines, depth)
    return entity


def _header(lines: Lines, first: int, end: int) -> str:
    written = (lines[line] for line in range(first, min(end, first + 1000)))
    header = "\n".join(each for each in written if not each.startswith("%{"))
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


_VERSION = pattern(r"[ \t]*mime-version[ \t]*:", re.IGNORECASE)
_MULTIPART = pattern(r"[ \t]*content-type[ \t]*:[ \t]*multipart/", re.IGNORECASE)
_SEPARATOR = pattern(r"--(?=.*\w)\S+[ \t]*\Z")
# A line that begins with what is filled in: that may be whole parts.
_FILLED_IN = pattern(r"[ \t]*(?:\$\{|\{\{)")
# Where cloud-init looks for `MIME-Version:`.
_LOOKED_AT = 4096


class Framing:
    """A text on the way to its message: what stands before it is cut off, and found fault with."""

    def __init__(self, text: str, origin: Origin, faults: list[UserDataFault], *, is_filled: bool = False) -> None:
        self.lines = Lines(text)
        self.is_filled = is_filled
        self.origin = origin
        self.faults = faults
        self._late()
        self._indented()
        self.message = self._split()
        if "mime-version:" not in text[:_LOOKED_AT].lower():
            what = "no 'MIME-Version:' stands in its first 4096 bytes, by which alone cloud-init recognises MIME"
            self.fault(FaultKind.NO_MIME_VERSION, 0, what, "add the header 'MIME-Version: 1.0'")
        # cloud-init forgives more than nodeadm does, which only concerns who has something to say to nodeadm.
        self.for_nodeadm = any(leaf.content_type == Type.NODE_CONFIG for leaf in self.message.leaves())
        for entity in _all(self.message):
            self._judge(entity)
        if self.lines.full is not None:
            what = f"more than {MOST} parts: from here on they are not read"
            self.fault(FaultKind.TOO_LARGE, self.lines.full, what, "put what belongs together into one", is_doubt=True)

    def place(self, line: int) -> Place:
        return self.origin.at(line + 1)

    def fault(
        self,
        kind: FaultKind,
        line: int,
        message: str,
        remedy: str,
        *,
        related: tuple[tuple[Place, str], ...] = (),
        is_doubt: bool = False,
    ) -> None:
        self.faults.append(UserDataFault(kind, self.place(line), message, remedy, related, is_doubt))

    def line_of(self, entity: Entity, header: str) -> int:
        """The line on which a header stands; the first, where there is none."""
        wanted = f"{header}:"
        named = (line for line in range(entity.first, entity.body) if self.lines[line].lower().startswith(wanted))
        return next(named, entity.first)

    def _late(self) -> None:
        start = _start(self.lines)
        if not start:
            return
        before = [line for line in range(start) if self.lines[line].strip()]
        if not before:
            what = (
                "a blank line stands before the MIME header: the document is no multipart, and nobody reads its parts"
            )
        elif HEADER.match(self.lines[before[0]]):
            what = "a blank line cuts the MIME header in two: its boundary is not read, nor is any part"
        else:
            what = "text stands before the MIME header: the document is no multipart, and nobody reads its parts"
        related = ((self.place(start), "the header that is not read as one"),)
        remedy = f"remove what stands before it, lines 1 to {start}" if start > 1 else "remove that line"
        self.fault(FaultKind.BLANK_BEFORE_HEADER, 0, what, remedy, related=related)
        self.lines = Lines(self.lines.text(start, len(self.lines)))
        self.origin = within(self.origin, start)

    def _indented(self) -> None:
        first = self.lines[0]
        indentation = len(first) - len(first.lstrip(" \t"))
        if not indentation:
            return
        what = "the MIME header is indented, which makes it none: nobody reads its parts"
        self.fault(FaultKind.NOT_AT_START, 0, what, "let it begin in the first column (in Terraform, <<-EOT)")
        self.lines = Lines("\n".join(line.removeprefix(first[:indentation]) for line in self.lines.all))
        self.origin = within(self.origin, 0, indentation)

    def _may_be_filled_in(self, message: Entity) -> bool:
        return self.is_filled and any(_FILLED_IN.match(self.lines[line]) for line in range(message.body, message.end))

    def _split(self) -> Entity:
        message = read_message(self.lines)
        if not message.is_multipart or message.parts is not None or message.too_deep:
            return message
        header = self.line_of(message, "content-type")
        what = "the header says multipart and names no boundary: nobody can tell its parts apart"
        if message.boundary is not None:
            what = f"no line begins a part with the boundary '{message.boundary}' that the header names"
        guess = next(
            (line for line in range(message.body, len(self.lines)) if _SEPARATOR.match(self.lines[line])), None
        )
        if guess is None and self._may_be_filled_in(message):
            what = "whether a line begins a part is not known: what stands behind the header is filled in"
            self.fault(FaultKind.NO_BOUNDARY, header, what, "", is_doubt=True)
            return message
        if guess is None:
            remedy = 'name it in the header (boundary="BOUNDARY") and begin each part with --BOUNDARY'
            self.fault(FaultKind.NO_BOUNDARY, header, what, remedy)
            return message
        boundary = self.lines[guess].rstrip()[2:]
        related = ((self.place(guess), f"'--{boundary}' seems to begin a part"),)
        self.fault(FaultKind.NO_BOUNDARY, header, what, f'let the header say boundary="{boundary}"', related=related)
        return read_message(self.lines, boundary)

    def _judge(self, entity: Entity) -> None:
        header = self.line_of(entity, "content-type")
        if entity.too_deep:
            what = "multiparts stand in each other deeper than is read here"
            self.fault(FaultKind.NOT_READ_HERE, header, what, "put all parts into one multipart", is_doubt=True)
        # cloud-init forgives both, and nodeadm looks for parts of its own alone.
        if entity.runs_on and entity.body > entity.first and self.for_nodeadm:
            what = "no blank line ends the headers: cloud-init forgives that, nodeadm then reads no NodeConfig"
            self.fault(FaultKind.NO_BLANK_BEHIND_HEADER, entity.body, what, "add a blank line above")
        if not entity.closed and self.for_nodeadm and not self._ends_at_a_boundary(entity):
            what = f"the boundary is never closed: the line '--{entity.boundary}--' is missing at the end"
            remedy = f"add '--{entity.boundary}--' as the last line; nodeadm reads no NodeConfig without it"
            self.fault(FaultKind.UNCLOSED_BOUNDARY, header, what, remedy)
        if entity.lost and entity.closing is not None:
            what = "the multipart is closed here: nobody reads the parts that follow"
            related = tuple((self.place(line), "behind the end") for line in entity.lost)
            remedy = f"write '--{entity.boundary}' without the last two dashes here"
            self.fault(FaultKind.NOBODY_READS_IT, entity.closing, what, remedy, related=related)

    def _ends_at_a_boundary(self, entity: Entity) -> bool:
        """A part that is begun on the last line, and of which nothing comes, is the end for Go's reader as well."""
        return self.lines.all[-1] == "" and len(self.lines) > 1 and self.lines[-2] == f"--{entity.boundary}"


def _start(lines: Lines) -> int:
    """The first line of the block of headers that makes this a multipart."""
    found = _first(lines, _MULTIPART)
    if found is None:
        found = _first(lines, _VERSION) or 0
    while found and HEADER.match(lines[found - 1]):
        found -= 1
    return found


def _first(lines: Lines, wanted: re.Pattern[str]) -> int | None:
    return next((line for line in range(min(len(lines), 200)) if wanted.match(lines.all[line])), None)


def _all(entity: Entity) -> Iterator[Entity]:
    yield entity
    for part in entity.parts or ():
        yield from _all(part)
