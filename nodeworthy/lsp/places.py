"""Places as an editor has them: URIs, and ranges in UTF-16."""

from __future__ import annotations

import os
from pathlib import Path

from lsprotocol.types import Location, Position, Range
from pygls.uris import from_fs_path, to_fs_path

from nodeworthy.fixes.edit import Edit
from nodeworthy.fixes.text import Text
from nodeworthy.verdict import Place


def path_of(uri: str) -> Path | None:
    """Of what lies in a file, or will once it is saved; None for anything else."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
    except ValueError:
        return None
    return Path(path) if path and "\x00" not in path else None


def uri_of(path: str) -> str:
    return from_fs_path(os.path.abspath(path)) or ""


def range_of(place: Place, text: Text, says: str | None = None) -> Range:
    """From where it stands to the end of what is said of it, or of its line."""
    line = min(max(place.line or 1, 1), text.lines)
    shown = text.line(line)
    start = min((place.column or 1) - 1, len(shown))
    if place.line is None or place.column is None:
        start = len(shown) - len(shown.lstrip())
    if start >= len(shown.rstrip()):
        return Range(_position(text, line, 0), _position(text, line, len(shown)))
    return Range(_position(text, line, start), _position(text, line, _end(shown, start, says)))


def _end(shown: str, start: int, says: str | None) -> int:
    if says and "\n" not in says:
        found = shown.find(says, start)
        # Behind a quote, a dash or an option's name.
        if 0 <= found <= start + 1:
            closed = found + len(says)
            return closed + (found > start and shown[closed : closed + 1] == shown[start])
    return len(shown.rstrip())


def _position(text: Text, line: int, column: int) -> Position:
    before = text.line(line)[:column]
    return Position(line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def range_of_edit(edit: Edit, text: Text) -> Range:
    return Range(_at(edit.start, text), _at(edit.end, text))


def _at(offset: int, text: Text) -> Position:
    line, column = text.position(offset)
    before = text.text[text.start(line) : text.start(line) + column - 1]
    return Position(line - 1, len(before.encode("utf-16-le", "surrogatepass")) // 2)


def location(place: Place, text: Text) -> Location | None:
    """The other end of a finding; of another file only the line is known."""
    if place.path is None:
        return None
    if place.path == text.path:
        return Location(uri_of(place.path), range_of(place, text))
    line, column = max((place.line or 1) - 1, 0), max((place.column or 1) - 1, 0)
    return Location(uri_of(place.path), Range(Position(line, column), Position(line, column)))


def within(one: Range, other: Range) -> bool:
    """Whether they touch."""
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character
