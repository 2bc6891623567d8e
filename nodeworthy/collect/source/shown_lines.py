"""The lines of a file as a report may show them: no secret in them, and only where it is text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from nodeworthy.collect.source.files import Source, Unreadable, as_text, read_bytes
from nodeworthy.known.secrets import HIDDEN, spans
from nodeworthy.patterns import pattern

LIMIT = 1024 * 1024
PACKED = "(packed)"
# What is base64 may hold anything. Digests are long, too, but in one case.
_BASE64 = pattern(r"[A-Za-z0-9+/]{60,}={0,2}")
_SECRET = pattern(r"""(?m)^[ \t{-]*["']?kind["']?[ \t]*:[ \t]*["']?(?:Sealed)?Secret\b|"kind": ?"Secret\"""")
_DATA = pattern(r"""^(?P<indent>[ \t]*)["']?(?:data|stringData)["']?[ \t]*:(?P<rest>.*)$""")
_KEY = pattern(r"""^(?P<key>[ \t]*["']?[\w.-]+["']?[ \t]*:[ \t]*)\S""")


def shown_lines(path: str) -> list[str]:
    """Raises Unreadable, with the reason."""
    source = Source(Path(path), path, True, os.path.realpath(path))
    if source.path.is_file() and source.path.stat().st_size > LIMIT:
        raise Unreadable(f"is larger than {LIMIT // 1024 // 1024} MiB, the most that is shown of a file")
    text = _BASE64.sub(_packed, _without_secrets(as_text(read_bytes(source))))
    return _without_objects(text).removesuffix("\n").split("\n")


def _packed(found: re.Match[str]) -> str:
    text = found.group()
    return PACKED if text != text.lower() and text != text.upper() else text


def _without_secrets(text: str) -> str:
    """As `hidden`, with every line where it was."""
    pieces, behind = [], 0
    for each in spans(text):
        pieces += [text[behind : each.start], HIDDEN, "\n" * text.count("\n", each.start, each.end)]
        behind = each.end
    return "".join([*pieces, text[behind:]])


def _without_objects(text: str) -> str:
    """A Secret of Kubernetes holds its values in base64, by keys that say nothing."""
    if not _SECRET.search(text):
        return text
    documents = re.split(r"(?m)^(?=---)", text)
    return "".join("\n".join(_hiding(each.split("\n"))) if _SECRET.search(each) else each for each in documents)


def _hiding(lines: list[str]) -> Iterator[str]:
    inside: int | None = None
    for line in lines:
        opened = _DATA.match(line)
        depth = len(line) - len(line.lstrip())
        if inside is not None and line.strip() and depth > inside:
            key = _KEY.match(line)
            yield f"{key['key'] if key else line[:depth]}{HIDDEN}"
        elif opened:
            inside = len(opened["indent"])
            yield line if opened["rest"].strip() in ("", "{") else f"{line[: opened.start('rest')]} {HIDDEN}"
        else:
            inside = inside if not line.strip() else None
            yield line
