"""What a part of a MIME message holds, without its transfer encoding and its gzip."""

from __future__ import annotations

from nodeworthy.boot.gzipped import GZIP_MAGIC, UNPACKED_LIMIT, gunzip
from nodeworthy.boot.origin import Folded, Origin, within
from nodeworthy.boot.unpack.decode import as_text
from nodeworthy.boot.unpack.envelope import as_base64
from nodeworthy.boot.unpack.framing import Framing
from nodeworthy.boot.unpack.kinds import PACKED, Type
from nodeworthy.boot.unpack.mime import Entity
from nodeworthy.boot.unpack.transfer import Body, decode, decoded_quietly
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.records import dataclass

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
    body = decode(body, str(leaf.headers.get("content-transfer-encoding", "")), faults)
    if body.data is None and as_base64(text.encode("utf-8", "replace")):
        if leaf.content_type != Type.NODE_CONFIG:
            what = f"{called} is base64, and its header does not say so: cloud-init does not decode it"
            faults.append(Fault(FaultKind.BAD_ENCODING, body.origin.at(1), what, _REMEDY))
        body = decoded_quietly(body)
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
