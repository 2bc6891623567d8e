"""What is open while a script is read: quotes, brackets, substitutions, and the text that is left of each."""

from __future__ import annotations

import re
from bisect import insort
from dataclasses import field

from nodeworthy.boot.shell.heredocs import Announced
from nodeworthy.boot.shell.source import Source
from nodeworthy.records import dataclass

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
