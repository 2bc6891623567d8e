"""What is open while a script is read: quotes, brackets, substitutions, and the text that is left of each."""

from __future__ import annotations

import re
from bisect import insort
from functools import lru_cache

from nodeworthy.boot.shell.source import Body, Source
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

# Finds the bodies of heredocs: behind the line that announces them, up to the line that is their delimiter.

_DELIMITER = pattern(r"[ \t]*((?:\\.|'[^']*'|\$?\"[^\"]*\"|[^\s;&|()<>'\"\\])+)", re.DOTALL)
_QUOTING = pattern(r"\\(.)|['\"]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Announced:
    """`<<EOF`: its body is still to come."""

    at: int
    delimiter: str
    quoted: bool
    strips_tabs: bool


def heredoc_announcement(text: str, at: int, length: int, end: int) -> tuple[Announced, int, int] | None:
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
    found = first = closing.search(text, start, end)
    while found is not None and not here.quoted and _is_continued(text, start, found.start()):
        found = closing.search(text, found.end(), end)
    goes_on = found is not first
    if found is None:
        return Body(start, end, here.delimiter, here.quoted, here.strips_tabs, False, goes_on), end
    body = Body(start, found.start(), here.delimiter, here.quoted, here.strips_tabs, True, goes_on)
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


# So often is reading begun anew: behind a line on which something begins that never ends, or because a `$((` was a
# `$( (` after all.
RESTARTS = 8
# Stands for each character of what is quoted, and in no word that somebody wrote.
CROSSED = "\x01"
# Kinds whose inside is kept: it is read again, for its structure.
_KEPT = frozenset({"commands", "list", "test"})


@dataclass(slots=True)
class Frame:
    kind: str
    start: int
    # Up to here the text is in the pieces.
    last: int
    # What is open inside: `(`, `[`, `case`.
    nest: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)


class Frames:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.stack: list[Frame] = []
        self.end = 0
        # Heredocs whose bodies are still to come.
        self.pending: list[Announced] = []
        self.restarts = 0
        # Where `$((` or `((` stands that is no arithmetic after all.
        self.no_arithmetic: set[int] = set()

    def cross(self, start: int, end: int, by: str = CROSSED) -> int:
        """Crosses out a part of the commands; tells where it ends."""
        frame = self.stack[-1]
        if frame.kind in _KEPT:
            frame.pieces += (self.text[frame.last : start], by * (end - start))
            frame.last = end
        return end

    def open(self, kind: str, start: int, inside: int) -> int:
        self.stack.append(Frame(kind, start, inside))
        return inside

    def close(self, inside_end: int, end: int) -> int:
        frame = self.stack.pop()
        self.source.ends[frame.start] = end
        if frame.kind in _KEPT:
            frame.pieces.append(self.text[frame.last : inside_end])
            inside = "".join(frame.pieces)
            self.source.insides[frame.start] = inside_end - len(inside), inside
        return self.cross(frame.start, end)

    def leaf(self, pattern: re.Pattern[str], start: int, inside: int) -> int:
        """What has nothing inside that we have to know while we look for its end."""
        found = pattern.match(self.text, inside, self.end)
        if found is None:
            return self.unclosed(start)
        return self.whole(start, found.end())

    def whole(self, start: int, end: int) -> int:
        """A leaf whose end is found."""
        self.source.ends[start] = end
        return self.cross(start, end)

    def unclosed(self, start: int) -> int:
        """Gives up the outermost thing that never ends, with its line; reads on behind that."""
        if len(self.stack) > 1:
            start = self.stack[1].start
        del self.stack[1:]
        self.pending.clear()
        insort(self.source.broken, start)
        self.restarts += 1
        line_end = self.text.find("\n", start, self.end) if self.restarts < RESTARTS else -1
        return self.cross(start, line_end if line_end >= 0 else self.end)
