"""The body of a MIME part without its transfer encoding, and where its lines stand in the encoded one."""

from __future__ import annotations

import base64
import binascii
import quopri
import re

from nodeworthy.boot.origin import Encoded, Joined, Origin
from nodeworthy.boot.unpack.envelope import as_base64
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


def decode(body: Body, encoding: str, faults: list[Fault]) -> Body:
    encoding = encoding.strip().lower()
    if encoding == "base64":
        return _declared(body, faults)
    if encoding == "quoted-printable":
        return _quoted_printable(body)
    if encoding not in PLAIN:
        faults.append(_fault(body, f"is encoded as '{encoding}', which cloud-init does not decode"))
        return decoded_quietly(body)
    return body


def decoded_quietly(body: Body) -> Body:
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
