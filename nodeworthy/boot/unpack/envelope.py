"""What user data as a whole is packed in: base64 and gzip, in any order, several times over."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from nodeworthy.boot.gzipped import GZIP_MAGIC, UNPACKED_LIMIT, gunzip
from nodeworthy.boot.origin import Encoded, Folded, Origin
from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.limits import TOO_MANY_DIGITS, holds_long_number
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_WIDE = (
    (b"\xff\xfe\x00\x00", "utf-32", "UTF-32"),
    (b"\x00\x00\xfe\xff", "utf-32", "UTF-32"),
    (b"\xff\xfe", "utf-16", "UTF-16"),
    (b"\xfe\xff", "utf-16", "UTF-16"),
    (b"#\x00", "utf-16-le", "UTF-16"),
    (b"\x00#", "utf-16-be", "UTF-16"),
)
_MARK = b"\xef\xbb\xbf"


def as_text(data: bytes, origin: Origin, faults: list[UserDataFault]) -> str:
    """The text as its author meant it; that a node reads it otherwise is a fault."""
    for start, encoding, name in _WIDE:
        if data.startswith(start):
            faults.append(_wide(name, origin))
            return data.decode(encoding, "replace").removeprefix("\ufeff")
    if data.startswith(_MARK):
        data = data[len(_MARK) :]
        faults.append(_mark(origin))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        faults.append(_not_utf8(line, data[problem.start], origin))
        return data.decode("utf-8", "replace")


def _wide(name: str, origin: Origin) -> UserDataFault:
    return UserDataFault(
        FaultKind.NOT_UTF8,
        origin.at(1),
        f"the user data is {name}: neither cloud-init nor a shell reads that",
        "save it as UTF-8 without a byte order mark",
    )


def _mark(origin: Origin) -> UserDataFault:
    return UserDataFault(
        FaultKind.NOT_AT_START,
        origin.at(1),
        "a byte order mark stands before the first character, so cloud-init does not recognise what follows",
        "save it as UTF-8 without a byte order mark (sed -i '1s/^\\xEF\\xBB\\xBF//' FILE)",
    )


def _not_utf8(line: int, byte: int, origin: Origin) -> UserDataFault:
    return UserDataFault(
        FaultKind.NOT_UTF8,
        origin.at(line),
        f"byte 0x{byte:02x} is no UTF-8: cloud-init fails to store what holds it, and nothing of it runs",
        "save it as UTF-8 (iconv -f latin1 -t utf-8 FILE)",
    )


LAYERS = 5

# Lines of base64 and nothing else, whatever their width and indentation.
_BASE64 = pattern(rb"\s*+(?:[A-Za-z0-9+/]++={0,2}[ \t]*+(?:\r?\n[ \t]*+|\Z))++\s*+\Z")
_WORD = pattern(rb"\s*[A-Za-z0-9+/]{4}")
# Shorter ones are words.
_SHORTEST = 16
_SPACE = pattern(rb"\s+")
# What no text holds.
_BINARY = pattern(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


@dataclass
class Opened:
    data: bytes
    origin: Origin
    called: str = "the decoded user data"
    wrapped: list[str] = field(default_factory=list)
    faults: list[UserDataFault] = field(default_factory=list)
    # Why the innermost layer can't be opened.
    unread: str = ""
    # In bytes before base64.
    size: int = 0

    def fault(self, kind: FaultKind, message: str, remedy: str = "", *, is_doubt: bool = False) -> None:
        self.faults.append(UserDataFault(kind, self.origin.at(1, 1), message, remedy, is_doubt=is_doubt))


@dataclass(frozen=True)
class Decoded:
    data: bytes
    # How many characters are too many or missing; 0 where it is whole.
    cut: int = 0


def open_envelope(
    data: bytes, origin: Origin, called: str = "the decoded user data", *, taken_off: Sequence[str] = ()
) -> Opened:
    """The innermost bytes, where their lines stand, and what was wrong with each layer; `taken_off` are those that are
    off already."""
    opened = Opened(data, origin, called, wrapped=list(taken_off), size=len(data))
    while not opened.unread:
        decoded = None if opened.data.startswith(GZIP_MAGIC) else as_base64(opened.data)
        if decoded is None and not opened.data.startswith(GZIP_MAGIC):
            break
        if len(opened.wrapped) == LAYERS:
            opened.unread = f"packed more than {LAYERS} times over"
            opened.fault(FaultKind.TOO_LARGE, f"the user data is {opened.unread}", "pack it once: gzip, then base64")
        elif decoded is None:
            _gunzip(opened)
        else:
            _decode(opened, decoded)
    if not opened.unread and opened.wrapped and holds_long_number(opened.data):
        opened.unread = f"it holds {TOO_MANY_DIGITS}, which no program takes"
        opened.fault(FaultKind.TOO_LARGE, f"the user data can't be read: {opened.unread}", "leave that number out")
    return opened


def as_base64(data: bytes) -> Decoded | None:
    """What is in it, if this is base64 of something that could be user data."""
    if not _WORD.match(data) or not _BASE64.match(data):
        return None
    characters = _SPACE.sub(b"", data)
    if len(characters) < _SHORTEST:
        return None
    cut = len(characters) % 4
    try:
        decoded = base64.b64decode(characters[: len(characters) - cut], validate=True)
    except binascii.Error:
        return None
    if not decoded or not (decoded.startswith(GZIP_MAGIC) or _is_text(decoded)):
        return None
    return Decoded(decoded, cut)


def _is_text(data: bytes) -> bool:
    start = data[:4096]
    if _BINARY.search(start):
        return False
    try:
        start.decode("utf-8")
    except UnicodeDecodeError as problem:
        return problem.start > len(start) - 4
    return True


def _decode(opened: Opened, decoded: Decoded) -> None:
    if decoded.cut:
        opened.fault(
            FaultKind.TRUNCATED,
            f"the base64 is cut off: {decoded.cut} characters are left over of a group of four",
            "encode it again, as a whole (base64 -w0 FILE)",
        )
    text = opened.data.decode("ascii")
    opened.origin = Encoded(opened.origin, text, decoded.data, opened.called)
    opened.data = decoded.data
    if not opened.wrapped:
        opened.size = len(decoded.data)
    opened.wrapped.append("base64")


def _gunzip(opened: Opened) -> None:
    data, problem = gunzip(opened.data)
    opened.wrapped.append("gzip")
    opened.origin = Folded(opened.origin.at(1, 1), "the unpacked user data")
    opened.data = data
    if problem is FaultKind.TOO_LARGE:
        opened.unread = f"unpacks to more than {UNPACKED_LIMIT // 1024 // 1024} MiB"
        opened.fault(problem, f"the gzip {opened.unread}: no node boots from that", "pack the script and nothing else")
    elif problem is not None:
        opened.unread = "the gzip is cut off" if problem is FaultKind.TRUNCATED else "the gzip is damaged"
        opened.fault(problem, f"{opened.unread}: cloud-init then runs nothing of it", "pack it again (gzip -9 FILE)")
