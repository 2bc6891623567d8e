"""Finds the MIME message in a text, and says what is wrong with its header and its boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.boot.origin import Origin, within
from nodeworthy.boot.unpack.kinds import Type
from nodeworthy.boot.unpack.mime import HEADER, MOST, Entity, Lines, read_message
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_VERSION = pattern(r"[ \t]*mime-version[ \t]*:", re.IGNORECASE)
_MULTIPART = pattern(r"[ \t]*content-type[ \t]*:[ \t]*multipart/", re.IGNORECASE)
_SEPARATOR = pattern(r"--(?=.*\w)\S+[ \t]*\Z")
# Where cloud-init looks for `MIME-Version:`.
_LOOKED_AT = 4096


class Framing:
    """A text on the way to its message: what stands before it is cut off, and found fault with."""

    def __init__(self, text: str, origin: Origin, faults: list[Fault]) -> None:
        self.lines = Lines(text)
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
        self.faults.append(Fault(kind, self.place(line), message, remedy, related, is_doubt))

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
        if not entity.closed and self.for_nodeadm:
            what = f"the boundary is never closed: the line '--{entity.boundary}--' is missing at the end"
            remedy = f"add '--{entity.boundary}--' as the last line; nodeadm reads no NodeConfig without it"
            self.fault(FaultKind.UNCLOSED_BOUNDARY, header, what, remedy)
        if entity.lost and entity.closing is not None:
            what = "the multipart is closed here: nobody reads the parts that follow"
            related = tuple((self.place(line), "behind the end") for line in entity.lost)
            remedy = f"write '--{entity.boundary}' without the last two dashes here"
            self.fault(FaultKind.NOBODY_READS_IT, entity.closing, what, remedy, related=related)


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
