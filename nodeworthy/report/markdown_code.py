"""Text of others in Markdown: always as code, by marks that the text itself does not hold."""

from __future__ import annotations

from nodeworthy.patterns import pattern
from nodeworthy.report.printable import on_one_line, printable

_TICKS = pattern("`+")


def code(text: str) -> str:
    plain = on_one_line(text).strip()
    if not plain:
        return "(empty)"
    marks = "`" * (_longest(plain) + 1)
    space = " " if plain[0] == "`" or plain[-1] == "`" else ""
    return f"{marks}{space}{plain}{space}{marks}"


def fence(text: str) -> str:
    plain = printable(text).strip("\n")
    marks = "`" * max(3, _longest(plain) + 1)
    return f"{marks}text\n{plain}\n{marks}"


def characters(text: str) -> int:
    """As GitHub counts them: one beyond the first 65,536 of Unicode counts twice."""
    return len(text) + sum(char > "\uffff" for char in text)


def shortened(text: str, room: int) -> str:
    """Its first lines, as many as there is room for."""
    kept: list[str] = []
    for line in text.rstrip("\n").split("\n"):
        # The fence around it grows with the longest run of ticks, twice.
        room -= characters(line) + 1
        if room < 2 * _longest(line):
            break
        kept.append(line)
    return "\n".join(kept)


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
