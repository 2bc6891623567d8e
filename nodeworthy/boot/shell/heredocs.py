"""Finds the bodies of heredocs: behind the line that announces them, up to the line that is their delimiter."""

from __future__ import annotations

import re
from functools import lru_cache

from nodeworthy.boot.shell.source import Body
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_DELIMITER = pattern(r"[ \t]*((?:\\.|'[^']*'|\$?\"[^\"]*\"|[^\s;&|()<>'\"\\])+)", re.DOTALL)
_QUOTING = pattern(r"\\(.)|['\"]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Announced:
    """`<<EOF`: its body is still to come."""

    at: int
    delimiter: str
    quoted: bool
    strips_tabs: bool


def announced(text: str, at: int, length: int, end: int) -> tuple[Announced, int, int] | None:
    """What `<<` or `<<-` announces, and where the delimiter begins and ends; None where no word follows."""
    found = _DELIMITER.match(text, at + length, end)
    if found is None:
        return None
    word = found.group(1)
    delimiter = _QUOTING.sub(lambda each: each.group(1) or "", word)
    return Announced(at, delimiter, delimiter != word, length == 3), *found.span(1)


def body_of(text: str, here: Announced, start: int, end: int) -> tuple[Body, int]:
    """The body that begins at this line start, and the offset behind the line that closes it."""
    closing = _closing(here.delimiter, strips_tabs=here.strips_tabs)
    found = closing.search(text, start, end)
    while found is not None and not here.quoted and _is_continued(text, start, found.start()):
        found = closing.search(text, found.end(), end)
    if found is None:
        return Body(start, end, here.delimiter, here.quoted, here.strips_tabs, closed=False), end
    body = Body(start, found.start(), here.delimiter, here.quoted, here.strips_tabs, closed=True)
    return body, min(found.end() + 1, end)


@lru_cache(maxsize=64)
def _closing(delimiter: str, *, strips_tabs: bool) -> re.Pattern[str]:
    tabs = r"\t*" if strips_tabs else ""
    return re.compile(rf"^{tabs}{re.escape(delimiter)}$", re.MULTILINE)


def _is_continued(text: str, start: int, line: int) -> bool:
    """Whether the line before this one ends in a backslash that is not escaped itself."""
    at, slashes = line - 2, 0
    while at >= start and text[at] == "\\":
        at, slashes = at - 1, slashes + 1
    return slashes % 2 == 1
