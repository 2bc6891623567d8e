"""TOML and JSON that a script writes: parsed where they are known, with the line at which they can't be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Writes
from nodeworthy.boot.text import Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# A hole in the parsed data: nobody writes such a word.
_HOLE = pattern(r"zzhole(\d+)zz")
_OPENING = pattern(r"[^\"'#]*(?P<quote>\"{3}|'{3}|[\"'])")
_CLOSING = {'"': pattern(r'(?:[^"\\]|\\.)*"'), "'": pattern(r"[^']*'")}
_AT_LINE = pattern(r"\bline (\d+)")


@dataclass(frozen=True)
class Reading:
    """What came of reading a file as the script leaves it."""

    place: Place
    data: Any = None
    # Why it can't be parsed, at the line; empty where it could.
    fault: str = ""
    # Why its content is not known; empty where it is.
    unknown: str = ""
    content: Content | None = None
    _holes: tuple[str, ...] = field(default=())

    @property
    def mapping(self) -> Mapping[str, Any]:
        return self.data if isinstance(self.data, Mapping) else {}

    def shown(self, value: object) -> str:
        """A value of the data as the script spells it: with ${NAME} where its holes are."""
        return _HOLE.sub(lambda match: self._holes[int(match[1])], str(value))

    def line_of(self, *words: str) -> Place:
        """Where the first of these words stands; else where the file is written."""
        for word in words:
            for line in self.content.find(word) if self.content is not None else ():
                return line.place
        return self.place


def has_hole(value: object) -> bool:
    return _HOLE.search(str(value)) is not None


def could_equal(value: str, wanted: str) -> bool:
    """Whether a value with holes may turn out to be this."""
    parts = _HOLE.split(value)[::2]
    return re.fullmatch(".*".join(map(re.escape, parts)), wanted) is not None


def toml_of(write: Writes) -> Reading:
    from tomllib import loads

    return _read_content(write, loads)


def json_of(write: Writes) -> Reading:
    from json import loads

    return _read_content(write, loads)


def content_of(write: Writes) -> Content | None:
    """The whole file after this step, as far as the script made it."""
    return write.whole if write.whole is not None else (write.content if write.how.value == "writes" else None)


def _read_content(write: Writes, parse: Callable[[str], Any]) -> Reading:
    content = content_of(write)
    if content is None:
        return Reading(write.place, unknown=f"what stands in {write.path.shown()} afterwards is not known")
    return read_content(content, write.place, write.path.shown(), parse)


def toml_in(content: Content, place: Place, called: str) -> Reading:
    from tomllib import loads

    return read_content(content, place, called, loads)


def read_content(content: Content, place: Place, called: str, parse: Callable[[str], Any]) -> Reading:
    text, holes = _spelt(content.text)
    try:
        return Reading(place, parse(text), content=content, _holes=holes)
    except (ValueError, RecursionError) as problem:
        if holes:
            why = content.text.why or "a part of it is not known"
            return Reading(place, unknown=f"what stands in {called} is not known: {why}", content=content)
        line = _with_open_quote(content) if type(problem).__name__ == "TOMLDecodeError" else None
        if line is not None:
            return Reading(line.place, fault="a quote that opens in this line is never closed", content=content)
        return Reading(_place_of(problem, content, place), fault=_first_line(problem), content=content)


def _spelt(text: Text) -> tuple[str, tuple[str, ...]]:
    """The text with a word for each hole, and what the holes look like in the script."""
    spelt = ""
    holes: list[str] = []
    for piece in text.pieces:
        if isinstance(piece, str):
            spelt += piece
        else:
            spelt += f"zzhole{len(holes)}zz"
            holes.append(piece.shown)
    return spelt, tuple(holes)


def _with_open_quote(content: Content) -> Line | None:
    """The first line that ends inside of a string; a string of several lines has three quotes."""
    multiline = ""
    for line in content.lines:
        rest = line.text.shown()
        while rest:
            if multiline:
                _, found, rest = rest.partition(multiline)
                multiline = "" if found else multiline
                continue
            opening = _OPENING.match(rest)
            if opening is None:
                break
            quote, rest = opening["quote"], rest[opening.end() :]
            if len(quote) == 3:
                multiline = quote
                continue
            closing = _CLOSING[quote].match(rest)
            if closing is None:
                return line
            rest = rest[closing.end() :]
    return None


def _place_of(problem: Exception, content: Content, place: Place) -> Place:
    told = _AT_LINE.search(str(problem))
    if not content.lines:
        return place
    number = int(told[1]) if told else len(content.lines)
    return content.lines[min(number, len(content.lines)) - 1].place


def _first_line(problem: Exception) -> str:
    return re.sub(r" \(.*\)$|: line \d+ column \d+.*$", "", str(problem).splitlines()[0])
