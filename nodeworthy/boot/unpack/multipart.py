"""User data of several parts: MIME, with all that keeps one from being read, and `#cloud-config-archive`."""

from __future__ import annotations

import base64
import binascii
import quopri
import re

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.gzipped import GZIP_MAGIC, UNPACKED_LIMIT, gunzip
from nodeworthy.boot.origin import Encoded, Folded, Joined, Origin, Straight, within
from nodeworthy.boot.perhaps import NOTHING, guard_of, perhaps
from nodeworthy.boot.unpack.envelope import as_base64, as_text
from nodeworthy.boot.unpack.framing import Entity, Framing
from nodeworthy.boot.unpack.kinds import LOOKED_INTO, PACKED, Type, begins_as, looks_like
from nodeworthy.boot.unpack.parts import MOST_READ, Reading, TypedText
from nodeworthy.boot.userdata import FaultKind, PartKind, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What a part of a MIME message holds, without its transfer encoding and its gzip.

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


def _decode(body: Body, encoding: str, faults: list[UserDataFault]) -> Body:
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
    """The decoded bytes of a part that is base64 and does not say so."""
    decoded = as_base64(body.text.encode("utf-8", "replace"))
    return _with(body, decoded.data) if decoded else body


def _declared(body: Body, faults: list[UserDataFault]) -> Body:
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
        faults.append(UserDataFault(FaultKind.TRUNCATED, body.origin.at(1), message, remedy))
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


def _fault(body: Body, what: str) -> UserDataFault:
    remedy = "let the header say what it is: base64, quoted-printable, or 7bit for plain text"
    return UserDataFault(FaultKind.BAD_ENCODING, body.header.at(1), f"{body.called} {what}", remedy)


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
            faults.append(UserDataFault(FaultKind.BAD_ENCODING, body.origin.at(1), what, _REMEDY))
        body = _decoded_quietly(body)
    if body.data is None:
        return Payload(body.text, body.origin)
    if body.data.startswith(GZIP_MAGIC):
        return _unpacked(body, leaf.content_type, faults)
    return Payload(as_text(body.data, body.origin, faults), body.origin)


def _unpacked(body: Body, content_type: str, faults: list[UserDataFault]) -> Payload:
    place = body.origin.at(1)
    if content_type not in PACKED and content_type != Type.NODE_CONFIG:
        what = f"{body.called} is gzip, and its type does not say so: cloud-init unpacks only application/gzip"
        faults.append(
            UserDataFault(FaultKind.WRONG_TYPE, place, what, "let its type be application/gzip, or pack the whole")
        )
    data, problem = gunzip(body.data or b"")
    if problem is FaultKind.TOO_LARGE:
        what = f"{body.called} unpacks to more than {UNPACKED_LIMIT // 1024 // 1024} MiB"
        faults.append(UserDataFault(problem, place, what, "pack the script and nothing else"))
    elif problem is not None:
        what = f"{body.called} is gzip that is {'cut off' if problem is FaultKind.TRUNCATED else 'damaged'}"
        faults.append(UserDataFault(problem, place, what, "pack it again (gzip -9 FILE | base64)"))
    origin = Folded(place, body.called)
    return Payload(as_text(data, origin, faults), origin, is_whole=problem is None)


def read_archive(found: TypedText, reading: Reading) -> None:
    if len(found.text) > MOST_READ:
        what = f"is larger than {MOST_READ // 1024} KiB, the most that is read of an archive"
        reading.fault(FaultKind.TOO_LARGE, found, what, "write less into it", is_doubt=True)
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    try:
        tree = read(found.text, Place())
    except NotYaml as problem:
        line = problem.place.line or 1
        reading.fault(FaultKind.NOT_READABLE, found, f"can't be read: {problem.why}", line=line)
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    entries = tree.sequence if tree else ()
    if not entries:
        reading.fault(FaultKind.EMPTY, found, "is an archive of nothing", is_doubt=True)
    for number, entry in enumerate(entries, 1):
        _entry(entry, number, found, reading)


def _entry(entry: Tree, number: int, archive: TypedText, reading: Reading) -> None:
    content = entry if entry.text is not None else entry.get("content")
    text = content.string
    named = entry.get("type").text
    kind = named or begins_as(text) or Type.CLOUD_CONFIG
    part = TypedText(text, Type.SHELL, _origin(content, archive), f"part {number} ({kind})", number, str(kind))
    part.file_name = entry.get("filename").string
    if kind not in set(Type) or kind in (Type.ARCHIVE, Type.BOTTLEROCKET, Type.NODE_CONFIG):
        reading.fault(FaultKind.NOBODY_READS_IT, part, "is of a type that nobody reads")
        reading.put(part, PartKind.OTHER, Stage.SCRIPTS)
        return
    part.type = Type(kind)
    reading.add(part)


def _origin(content: Tree, archive: TypedText) -> Origin:
    """A literal block stands there line by line; of anything else only the beginning can be told."""
    inside = content.inside
    place = inside or content.place
    outer = archive.origin.at(place.line or 1, place.column or 1)
    if inside is None or isinstance(archive.origin, Folded):
        return Folded(outer)
    return Straight(outer)


_KNOWN = {str(kind) for kind in Type} - {str(Type.BOTTLEROCKET)}
_SCRIPTS = {Type.SHELL, Type.PER_BOOT, Type.PER_INSTANCE, Type.PER_ONCE, Type.BOOTHOOK}
# Of these cloud-init passes over an empty one, and says so only where it is asked to debug.
_HARMLESS = {"text/plain", "text/x-not-multipart", str(Type.CLOUD_CONFIG)}
# More of them no part has.
_MOST_HEADERS = 20
_HEADER = pattern(r"(?P<name>[\w-]+):[ \t]*(?P<value>[^;\s]*)")
_NODE_CONFIG_REMEDY = "let its type be application/node.eks.aws, in the outermost multipart"


def read_multipart(text: str, origin: Origin, reading: Reading) -> None:
    framing = Framing(text, origin, reading.faults, is_filled=reading.is_filled)
    found: TypedText | None = None
    whole = framing.lines.text(0, len(framing.lines))
    decided = perhaps(whole, jinja=reading.braced) if reading.is_filled else NOTHING
    outermost = {id(part) for part in framing.message.parts or ()}
    for ordinal, leaf in enumerate(framing.message.leaves(), 1):
        found = _text_of_leaf(leaf, ordinal, framing, reading)
        if found is not None:
            found.guard = guard_of(decided.at(leaf.first + 1), framing.origin)
            found.is_alone = leaf is framing.message
            _read_part(found, id(leaf) in outermost, reading)
    if not reading.parts and not reading.faults:
        # A multipart may hold nothing but another one that is cut off.
        reading.fault(FaultKind.EMPTY, found or TypedText("", Type.SHELL, origin), "is empty", is_doubt=True)
    _same_names(reading)


def _text_of_leaf(leaf: Entity, ordinal: int, framing: Framing, reading: Reading) -> TypedText | None:
    declared = leaf.content_type
    called = f"part {ordinal} ({declared})"
    inside = payload(leaf, framing, called)
    # cloud-init counts what it attaches: what it fetches from elsewhere is not there yet.
    number = len(reading.parts) + reading.ignored + 1
    found = TypedText(inside.text, Type.SHELL, inside.origin, called, number, declared)
    found.file_name = _file_name(leaf)
    found.merge = str(leaf.headers.get("Merge-Type") or leaf.headers.get("X-Merge-Type") or "")
    if not inside.is_whole:
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return None
    return found


def _file_name(leaf: Entity) -> str:
    try:
        return str(leaf.headers.get_filename() or "")
    except (ValueError, LookupError, TypeError):
        return ""


def _read_part(found: TypedText, is_outermost: bool, reading: Reading) -> None:
    """Reads a part as cloud-init decides: by the header, and by the content where the header says too little."""
    declared = found.content_type
    looked_into = declared in LOOKED_INTO or declared in PACKED
    kind = (begins_as(found.text) if looked_into else None) or declared
    if not found.text.strip():
        if declared in _HARMLESS:
            return
        reading.fault(FaultKind.EMPTY, found, "is empty", is_doubt=True)
    elif kind == Type.ARCHIVE:
        read_archive(found, reading)
    elif kind in _KNOWN:
        found.type = Type(kind)
        _contradicted(found, is_outermost, reading)
        reading.add(found)
    else:
        _nobody(found, reading)


def _contradicted(found: TypedText, is_outermost: bool, reading: Reading) -> None:
    """A part whose reader can't make sense of it. It is read on as what it was meant to be."""
    meant = begins_as(found.text) or looks_like(found.text)
    if found.type is Type.NODE_CONFIG:
        if meant not in (None, Type.NODE_CONFIG):
            what = "is no NodeConfig (apiVersion: node.eks.aws/v1alpha1): nodeadm fails to read the user data"
            reading.fault(FaultKind.WRONG_TYPE, found, what, "let its type be that of its content")
        elif found.is_alone:
            what = "has no multipart around it, in which nodeadm looks for it; who puts one there is not known"
            reading.fault(FaultKind.NOBODY_READS_IT, found, what, _NODE_CONFIG_REMEDY, is_doubt=True)
        elif not is_outermost:
            what = "stands in a multipart inside of another one, where nodeadm does not look"
            reading.fault(FaultKind.NOBODY_READS_IT, found, what, _NODE_CONFIG_REMEDY)
            return
    elif meant is Type.NODE_CONFIG:
        what = "is a NodeConfig: nodeadm looks only at parts of type application/node.eks.aws"
        reading.fault(FaultKind.WRONG_TYPE, found, what, _NODE_CONFIG_REMEDY)
    elif found.type is Type.CLOUD_CONFIG and meant is Type.SHELL:
        what = "is shell: cloud-init reads it as YAML, and runs nothing of it"
        reading.fault(FaultKind.WRONG_TYPE, found, what, "let its type be text/x-shellscript")
    elif found.type in _SCRIPTS and meant is Type.CLOUD_CONFIG:
        what = "is cloud-config: cloud-init runs it as a script, which fails"
        reading.fault(FaultKind.WRONG_TYPE, found, what, "let its type be text/cloud-config")
    else:
        return
    if meant is not None and meant in _KNOWN:
        found.type = meant


@dataclass(frozen=True)
class _LateHeader:
    """A type that a part says behind the empty line which ends its headers."""

    declared: Type
    # The lines on which it stands, and on which begins what the part is about.
    line: int
    content: int


def _late_header(text: str) -> _LateHeader | None:
    lines = text.split("\n", _MOST_HEADERS)
    first = next((number for number, each in enumerate(lines) if each.strip()), len(lines))
    named = None
    for number, each in enumerate(lines[first:], first):
        header = _HEADER.match(each)
        if header is None:
            is_over = not each.strip() and named is not None
            return _LateHeader(*named, number + 2) if is_over and named is not None else None
        if header["name"].lower() == "content-type" and header["value"].lower() in _KNOWN:
            named = Type(header["value"].lower()), number + 1
    return None


def _read_late(found: TypedText, header: _LateHeader, reading: Reading) -> None:
    """Reads the part on as what it was meant to be."""
    content = "\n".join(found.text.split("\n")[header.content - 1 :])
    has_commands = any(each.strip() and not each.lstrip().startswith("#") for each in content.split("\n"))
    found.called = f"part {found.number} ({header.declared})"
    what = "has its headers behind an empty line, which ends them: they are its text, and cloud-init runs nothing of it"
    remedy = "take the empty line above Content-Type away"
    reading.fault(FaultKind.WRONG_TYPE, found, what, remedy, line=header.line, is_doubt=not has_commands)
    found.text, found.origin = content, within(found.origin, header.content - 1)
    found.type, found.content_type = header.declared, str(header.declared)
    reading.add(found)


def _nobody(found: TypedText, reading: Reading) -> None:
    late = _late_header(found.text)
    if late is not None:
        _read_late(found, late, reading)
        return
    meant = begins_as(found.text) or looks_like(found.text)
    if meant is Type.NODE_CONFIG:
        what = "is a NodeConfig: nodeadm looks only at parts of type application/node.eks.aws"
        reading.fault(FaultKind.WRONG_TYPE, found, what, _NODE_CONFIG_REMEDY)
    elif found.content_type not in LOOKED_INTO | PACKED and begins_as(found.text) is None:
        what = "is of a type that cloud-init does not know, and ignores"
        remedy = f"let its type be {meant}" if meant is not None else ""
        reading.fault(FaultKind.NOBODY_READS_IT, found, what, remedy, is_doubt=meant is None)
        reading.ignored += 1
        return
    elif meant is Type.SHELL and not found.text.lstrip().startswith("#!"):
        what = "looks like shell, but does not begin with '#!': cloud-init runs nothing of it"
        reading.fault(FaultKind.NO_SHEBANG, found, what, "begin it with #!/bin/bash")
        found.text, found.type = found.text, Type.SHELL
        reading.put(found, PartKind.SHELL, Stage.SCRIPTS)
        return
    elif meant is not None:
        what = f"is of a type that nobody reads; its content looks like {meant}"
        reading.fault(FaultKind.NOBODY_READS_IT, found, what, f"let its type be {meant}")
    else:
        reading.fault(FaultKind.NOBODY_READS_IT, found, "is of a type that nobody reads", is_doubt=True)
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    found.type = meant
    reading.add(found)


def _same_names(reading: Reading) -> None:
    """Two scripts of one file name: the later is written over the earlier, before either runs."""
    scripts = [part for part in reading.parts if part.kind is PartKind.SHELL]
    last = {part.turn: part for part in scripts}
    for part in scripts:
        later = last[part.turn]
        if later is part:
            continue
        what = (
            f"{part.called} has the file name '{part.name}' of {later.called}, which is written over it: it never runs"
        )
        related = ((later.place, "the one that runs"),)
        remedy = "give each script a file name of its own, or none"
        reading.faults.append(UserDataFault(FaultKind.SAME_NAME, part.place, what, remedy, related))
