"""The text of a script with what the lexer found in it: where each construct ends, what each heredoc holds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from nodeworthy.boot.shell.templates import Directive, template_text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_LINE_END = pattern(r"\n")
# A `#` that is in a word; a word that goes on in the next line and ends there at once; the text's end.
# Each way begins with a letter of its own, so that it is tried at no other.
_TORN = pattern(r"\)#|\\(?:[ \t\n;&|()<>]#|(?<=[^ \t\n]\\)\n[ \t\n;&|()<>]|\n?\Z)")
# Constructs inside of each other: deeper than this is not read.
DEEPEST = 40


class NotReadable(Exception):
    """Here stands something that is no shell, or is nested too deep."""


@dataclass(frozen=True, slots=True)
class Body:
    """A heredoc as it was found: where its body begins and ends."""

    start: int
    end: int
    delimiter: str
    quoted: bool
    strips_tabs: bool
    closed: bool
    # Behind a line that goes on its delimiter stands as well, and ends nothing.
    goes_on: bool = False


@dataclass
class Source:
    text: str
    first_line: int = 1
    first_column: int = 1
    depth: int = 0
    # What a template fills in, by the number in its mark; its directives by the offsets of their marks.
    filled: tuple[str, ...] = ()
    directives: dict[int, Directive] = field(default_factory=dict)
    # The offset of an opening quote, bracket or `$(`, and the offset behind its end.
    ends: dict[int, int] = field(default_factory=dict)
    # By the offset of a bracket: where its inside begins, and the inside with every word crossed out that is no plain
    # one. It is as long as the text that it stands for.
    insides: dict[int, tuple[int, str]] = field(default_factory=dict)
    bodies: dict[int, Body] = field(default_factory=dict)
    # Where `[[`, `((` and the `(` of an array stand.
    tests: set[int] = field(default_factory=set)
    arithmetics: set[int] = field(default_factory=set)
    arrays: set[int] = field(default_factory=set)
    # Where something begins that never ends, in order.
    broken: list[int] = field(default_factory=list)
    # So many regions could not be read.
    failures: int = 0
    # Something stands here that bash may read otherwise than we do, or not at all.
    is_doubtful: bool = False
    # Of the insides those that were read where they may stand.
    read: set[int] = field(default_factory=set)
    # Of a template: the text as the user wrote it, and from which offsets on it is how much ahead.
    original: str = ""
    origins: tuple[tuple[int, int], ...] = ()
    # The line that was asked for last: its number, its offset and the next one's, and from where its columns count.
    _line: tuple[int, int, int, int] = (0, 0, 0, 0)
    # Where each line begins, found out when the first is asked for.
    _starts: list[int] = field(default_factory=list)

    @property
    def is_sure(self) -> bool:
        """Whether bash can read it: all that was found was read, and nothing of it is more than bash takes."""
        if self.is_doubtful or self.broken or self.failures or self.directives:
            return False
        return self.insides.keys() <= self.read and _TORN.search(self.text) is None

    def is_broken(self, start: int, end: int) -> bool:
        at = bisect_left(self.broken, start)
        return at < len(self.broken) and self.broken[at] < end

    def _line_starts(self) -> list[int]:
        if not self._starts:
            text = self.original or self.text
            self._starts = [0, *[each.end() for each in _LINE_END.finditer(text)], len(text) + 2]
        return self._starts

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from one."""
        if self.origins:
            offset = self._origin(offset)
        line, start, end, before = self._line
        if not start <= offset < end:
            starts = self._line_starts()
            row = bisect_right(starts, offset) - 1
            start, end = starts[row], starts[row + 1]
            line, before = self.first_line + row, start - (self.first_column if row == 0 else 1)
            self._line = line, start, end, before
        return line, offset - before

    def _origin(self, offset: int) -> int:
        at = bisect_right(self.origins, (offset, len(self.original)))
        return offset + self.origins[at - 1][1] if at else offset

    def shown(self, start: int, end: int) -> str:
        """A part of the text as the user wrote it."""
        if self.origins:
            return self.original[self._origin(start) : self._origin(end)]
        raw = self.text[start:end]
        return template_text(raw, self.filled) if self.filled else raw
