"""Places as an editor has them: URIs, and ranges in the units that it counts in."""

from __future__ import annotations

import os
from pathlib import Path

from lsprotocol.types import Location, Position, PositionEncodingKind, Range
from pygls.uris import from_fs_path, to_fs_path

from nodeworthy.fixes.text import Change, Text
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Place

# How long a character is, by what an editor and we have agreed upon.
_BYTES = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


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


@dataclass(frozen=True)
class Ruler:
    """Tells the places of one text in an editor's units."""

    text: Text
    units: PositionEncodingKind | str | None = PositionEncodingKind.Utf16

    def finding(self, found: Finding) -> Range:
        return self.place(found.where, found.is_)

    def place(self, place: Place, says: str | None = None) -> Range:
        """From where it stands to the end of what is said of it, or of its line."""
        line = min(max(place.line or 1, 1), self.text.lines)
        shown = self.text.line(line)
        start = min((place.column or 1) - 1, len(shown))
        if place.line is None or place.column is None:
            start = len(shown) - len(shown.lstrip())
        if start >= len(shown.rstrip()):
            return Range(self._position(line, 0), self._position(line, len(shown)))
        return Range(self._position(line, start), self._position(line, _end(shown, start, says)))

    def change(self, change: Change) -> Range:
        return Range(self._at(change.start), self._at(change.end))

    def location(self, place: Place) -> Location | None:
        """The other end of a finding; of another file only where it begins is known."""
        if place.path is None:
            return None
        if place.path == self.text.path:
            return Location(uri_of(place.path), self.place(place))
        at = Position(max((place.line or 1) - 1, 0), max((place.column or 1) - 1, 0))
        return Location(uri_of(place.path), Range(at, at))

    def _at(self, offset: int) -> Position:
        line, column = self.text.position(offset)
        return self._position(line, column - 1)

    def _position(self, line: int, column: int) -> Position:
        start = self.text.start(line)
        encoding, size = _BYTES.get(PositionEncodingKind(self.units or "utf-16"), ("utf-16-le", 2))
        before = self.text.text[start : start + column].encode(encoding, "surrogatepass")
        return Position(line - 1, len(before) // size)


def _end(shown: str, start: int, says: str | None) -> int:
    if says and "\n" not in says:
        found = shown.find(says, start)
        # Behind a quote, a dash or an option's name.
        if 0 <= found <= start + 1:
            closed = found + len(says)
            return closed + (found > start and shown[closed : closed + 1] == shown[start])
    return len(shown.rstrip())


def touch(one: Range, other: Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: Position) -> tuple[int, int]:
    return position.line, position.character
