"""Texts (`<<EOF`) whose end was written, and is none."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.source import Source as LexedSource
from nodeworthy.facts.boot.cut_short import says_nothing
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.unreadable_shell import listed_commands, shell_parts
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# A text that is announced, and a line that may have been meant as its end.
_ANNOUNCED = pattern(r"<<-?[ \t]*[\"'\\]?(\w+)")
_WORD = pattern(r"\w+")


@dataclass(frozen=True)
class Swallowed:
    """A text (`<<EOF`) whose end was written, and is none: what stands behind it goes into the text."""

    delimiter: str
    # Where the line stands that was to end it, and where the text was announced.
    place: Place
    begins: Place
    # Tabs are all that `<<-` takes away.
    by_tabs: bool


def texts_without_end(script: BootScript) -> Iterator[Swallowed]:
    for part in shell_parts(script):
        yield from _swallowed(part.text, part.origin)
    for step in listed_commands(script.userdata):
        yield from _swallowed(step.text, step.origin)


def _swallowed(text: str, origin: Origin) -> Iterator[Swallowed]:
    """The first of them: what comes behind it, the shell does not read."""
    rows = text.split("\n")
    blank = [index for index, row in enumerate(rows) if row != row.strip() and _WORD.fullmatch(row.strip())]
    meant = {rows[index].strip() for index in blank}
    if not any(found[1] in meant for found in _ANNOUNCED.finditer(text)):
        return
    source = LexedSource(text)
    Lexer(source).read(0, len(text))
    for body in source.bodies.values():
        first = text.count("\n", 0, body.start)
        ends = next((each for each in blank if each >= first and rows[each].strip() == body.delimiter), None)
        if not body.closed and ends is not None and not all(map(says_nothing, rows[ends + 1 :])):
            yield Swallowed(body.delimiter, origin.at(ends + 1, 1), origin.at(first, 1), body.strips_tabs)
            return
