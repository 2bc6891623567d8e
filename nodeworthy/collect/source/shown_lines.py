"""The lines of a file as a report may show them: no secret in them, and only where it is text."""

from __future__ import annotations

import os
import re
from pathlib import Path

from nodeworthy.collect.source.files import Source, Unreadable, as_text, read_bytes
from nodeworthy.patterns import pattern
from nodeworthy.redaction import PACKED, hidden_lines

LIMIT = 1024 * 1024
# What is base64 may hold anything. Digests are long, too, but in one case.
_BASE64 = pattern(r"[A-Za-z0-9+/]{60,}={0,2}")


def shown_lines(path: str) -> list[str]:
    """Raises Unreadable, with the reason."""
    source = Source(Path(path), path, True, os.path.realpath(path))
    if source.path.is_file() and source.path.stat().st_size > LIMIT:
        raise Unreadable(f"is larger than {LIMIT // 1024 // 1024} MiB, the most that is shown of a file")
    text = _BASE64.sub(_packed, hidden_lines(as_text(read_bytes(source))))
    return text.removesuffix("\n").split("\n")


def _packed(found: re.Match[str]) -> str:
    text = found.group()
    return PACKED if text != text.lower() and text != text.upper() else text
