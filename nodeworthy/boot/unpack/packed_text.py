"""User data as AWS keeps it, and the text in it."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Final

_LARGEST: Final = 4 * 1024 * 1024


def unpack_text(packed: str) -> str | None:
    """The text of user data; None for what is no text."""
    try:
        data = base64.b64decode(packed, validate=True)
        if data[:2] == b"\x1f\x8b":
            data = zlib.decompressobj(wbits=31).decompress(data, _LARGEST)
        return data.decode()
    except (binascii.Error, ValueError, zlib.error):
        return None
