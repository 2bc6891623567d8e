"""Unpacks gzip, within a limit."""

from __future__ import annotations

import zlib

from nodeworthy.boot.userdata import FaultKind

GZIP_MAGIC = b"\x1f\x8b"
# Of a document of at most 16 KiB that EC2 takes, nobody means more than this.
UNPACKED_LIMIT = 4 * 1024 * 1024
# gzip joins files; nobody joins that many.
_MEMBERS = 200


def gunzip(data: bytes) -> tuple[bytes, FaultKind | None]:
    """The unpacked bytes, and what went wrong; every member of the file, as gzip itself reads it."""
    unpacked: list[bytes] = []
    left, room = data, UNPACKED_LIMIT
    while left.startswith(GZIP_MAGIC):
        if len(unpacked) == _MEMBERS:
            return b"", FaultKind.TOO_LARGE
        member = zlib.decompressobj(wbits=31)
        try:
            unpacked.append(member.decompress(left, room + 1))
        except zlib.error:
            return b"".join(unpacked), FaultKind.NOT_READABLE
        room -= len(unpacked[-1])
        if room < 0:
            return b"", FaultKind.TOO_LARGE
        if not member.eof:
            return b"".join(unpacked), FaultKind.TRUNCATED
        left = member.unused_data
    return b"".join(unpacked), None
