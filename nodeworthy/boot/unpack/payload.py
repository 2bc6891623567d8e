"""What a part of a MIME message holds, without its transfer encoding and its gzip."""

from __future__ import annotations

import base64
import binascii
import quopri
import re

from nodeworthy.boot.gzipped import GZIP_MAGIC, UNPACKED_LIMIT, gunzip
from nodeworthy.boot.origin import Encoded, Folded, Joined, Origin, within
from nodeworthy.boot.unpack.envelope import as_base64, as_text
from nodeworthy.boot.unpack.framing import Framing
from nodeworthy.boot.unpack.kinds import PACKED, Type
from nodeworthy.boot.unpack.mime import Entity
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

PLAIN = ("", "7bit", "8bit", "binary")
_SPACE = pattern(r"\s+")


@dataclass
class Body:
    """What a part holds: its bytes, where they are known to be encoded, else its text."""

    text: str
    origin: Origin
    called: str
    # Where the header stands that names the encoding.
    header: Origin
    data: bytes | None = None


def _decode(body: Body, encoding: str, faults: list[Fault]) -> Body:
    encoding = encoding.strip().lower()
    if encoding == "base64":
        return _declared(body, faults)
    if encoding == "quoted-printable":
        return _quoted_printable(body)
    if encoding not in PLAIN:
        faults.append(_fault(body, f"is encoded as '{encoding}', which cloud-init does not decode"))
        return _decoded_quietly(body)
    return body


def _decoded_quietly(body: Body) -> Body:
    """Of a part that does not say that it is base64: its bytes all the same, if it is."""
    decoded = as_base64(body.text.encode("utf-8", "replace"))
    return _with(body, decoded.data) if decoded else body


def _declared(body: Body, faults: list[Fault]) -> Body:
    characters = _SPACE.sub("", body.text)
    if characters[:1] == "$":
        return body  # a template fills it in
    cut = len(characters.rstrip("=")) % 4 if len(characters) % 4 else 0
    try:
        data = base64.b64decode(characters[: len(characters) - len(characters) % 4], validate=True)
    except (binascii.Error, ValueError):
        faults.append(_fault(body, "says that it is base64 and is not"))
        return body
    if cut:
        message = f"{body.called} is cut off: its base64 does not end in a whole group of four"
        remedy = "encode it again, as a whole (base64 FILE)"
        faults.append(Fault(FaultKind.TRUNCATED, body.origin.at(1), message, remedy))
    return _with(body, data)


def _with(body: Body, data: bytes) -> Body:
    origin = Encoded(body.origin, body.text, data, body.called)
    return Body("", origin, body.called, body.header, data)


def _quoted_printable(body: Body) -> Body:
    starts: list[tuple[int, int]] = []
    fresh = True
    for row, ended in enumerate(body.text.split("\n"), 1):
        if fresh:
            starts.append((row, 1))
        line = ended.removesuffix("\r").rstrip(" \t")
        starts += [(row, found.end() + 1) for found in re.finditer("=0[Aa]", line)]
        fresh = not line.endswith("=")
    data = quopri.decodestring(body.text.encode("utf-8", "replace"))
    return Body("", Joined(body.origin, starts), body.called, body.header, data)


def _fault(body: Body, what: str) -> Fault:
    remedy = "let the header say what it is: base64, quoted-printable, or 7bit for plain text"
    return Fault(FaultKind.BAD_ENCODING, body.header.at(1), f"{body.called} {what}", remedy)


_REMEDY = "let the header say 'Content-Transfer-Encoding: base64'"


@dataclass
class Payload:
    text: str
    origin: Origin
    # False where it is damaged, and `text` only what could be saved of it.
    is_whole: bool = True


def payload(leaf: Entity, framing: Framing, called: str) -> Payload:
    header = within(framing.origin, framing.line_of(leaf, "content-transfer-encoding"))
    # The line end before a boundary is the boundary's.
    text = framing.lines.text(leaf.body, leaf.end).removesuffix("\r")
    body = Body(text, within(framing.origin, leaf.body), called, header)
    faults = framing.faults
    body = _decode(body, str(leaf.headers.get("content-transfer-encoding", "")), faults)
    if body.data is None and as_base64(text.encode("utf-8", "replace")):
        if leaf.content_type != Type.NODE_CONFIG:
            what = f"{called} is base64, and its header does not say so: cloud-init does not decode it"
            faults.append(Fault(FaultKind.BAD_ENCODING, body.origin.at(1), what, _REMEDY))
        body = _decoded_quietly(body)
    if body.data is None:
        return Payload(body.text, body.origin)
    if body.data.startswith(GZIP_MAGIC):
        return _unpacked(body, leaf.content_type, faults)
    return Payload(as_text(body.data, body.origin, faults), body.origin)


def _unpacked(body: Body, content_type: str, faults: list[Fault]) -> Payload:
    place = body.origin.at(1)
    if content_type not in PACKED and content_type != Type.NODE_CONFIG:
        what = f"{body.called} is gzip, and its type does not say so: cloud-init unpacks only application/gzip"
        faults.append(Fault(FaultKind.WRONG_TYPE, place, what, "let its type be application/gzip, or pack the whole"))
    data, problem = gunzip(body.data or b"")
    if problem is FaultKind.TOO_LARGE:
        what = f"{body.called} unpacks to more than {UNPACKED_LIMIT // 1024 // 1024} MiB"
        faults.append(Fault(problem, place, what, "pack the script and nothing else"))
    elif problem is not None:
        what = f"{body.called} is gzip that is {'cut off' if problem is FaultKind.TRUNCATED else 'damaged'}"
        faults.append(Fault(problem, place, what, "pack it again (gzip -9 FILE | base64)"))
    origin = Folded(place, body.called)
    return Payload(as_text(data, origin, faults), origin, is_whole=problem is None)
