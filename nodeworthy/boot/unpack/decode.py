"""Bytes become text, and what cloud-init makes of bytes that are none."""

from __future__ import annotations

from nodeworthy.boot.origin import Origin
from nodeworthy.boot.userdata import Fault, FaultKind

_WIDE = (
    (b"\xff\xfe\x00\x00", "utf-32", "UTF-32"),
    (b"\x00\x00\xfe\xff", "utf-32", "UTF-32"),
    (b"\xff\xfe", "utf-16", "UTF-16"),
    (b"\xfe\xff", "utf-16", "UTF-16"),
    (b"#\x00", "utf-16-le", "UTF-16"),
    (b"\x00#", "utf-16-be", "UTF-16"),
)
_MARK = b"\xef\xbb\xbf"


def as_text(data: bytes, origin: Origin, faults: list[Fault]) -> str:
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


def _wide(name: str, origin: Origin) -> Fault:
    return Fault(
        FaultKind.NOT_UTF8,
        origin.at(1),
        f"the user data is {name}: neither cloud-init nor a shell reads that",
        "save it as UTF-8 without a byte order mark",
    )


def _mark(origin: Origin) -> Fault:
    return Fault(
        FaultKind.NOT_AT_START,
        origin.at(1),
        "a byte order mark stands before the first character, so cloud-init does not recognise what follows",
        "save it as UTF-8 without a byte order mark (sed -i '1s/^\\xEF\\xBB\\xBF//' FILE)",
    )


def _not_utf8(line: int, byte: int, origin: Origin) -> Fault:
    return Fault(
        FaultKind.NOT_UTF8,
        origin.at(line),
        f"byte 0x{byte:02x} is no UTF-8: cloud-init fails to store what holds it, and nothing of it runs",
        "save it as UTF-8 (iconv -f latin1 -t utf-8 FILE)",
    )
