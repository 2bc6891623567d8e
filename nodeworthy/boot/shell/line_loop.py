"""`while read -r a b; do …; done <<EOF`: one round a line, where it is known which lines there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.content import Line
from nodeworthy.boot.shell.flow import Flow
from nodeworthy.boot.shell.syntax import Command, While
from nodeworthy.boot.shell.word_syntax import Literal
from nodeworthy.boot.text import EMPTY, Text

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

MOST_LINES = 64


def lines_read(walker: Walker, statement: While) -> tuple[Sequence[str], Sequence[Line]] | None:
    """The variables and the lines of such a loop; None for any other."""
    stream = walker.stdin
    if statement.until or len(statement.condition) != 1 or stream is None or stream.content is None:
        return None
    names = _names(statement.condition[0]) if isinstance(statement.condition[0], Command) else None
    lines = stream.content.lines
    if not names or not 0 < len(lines) <= MOST_LINES or stream.content.known is None:
        return None
    return names, lines


def _names(command: Command) -> list[str] | None:
    words = [part.text for word in command.words for part in word.parts[:1] if isinstance(part, Literal)]
    if not words or words[0] != "read" or len(words) != len(command.words):
        return None
    if any(each.name == "IFS" and each.value is not None and each.value.raw for each in command.assignments):
        return None  # parted by something else than blanks
    return [word for word in words[1:] if not word.startswith("-")]


def each_line(walker: Walker, statement: While, names: Sequence[str], lines: Sequence[Line]) -> None:
    stdin, walker.stdin = walker.stdin, None
    for line in lines:
        fields = (line.text.known or "").split(None, len(names) - 1)
        for index, name in enumerate(names):
            walker.state.set(name, Text.of(fields[index].strip()) if index < len(fields) else EMPTY)
        walker.scope(lambda: walker.run_all(statement.body), Flow.CONTINUE)
        if walker.flow is not Flow.ON:
            break
    walker.stdin = stdin
