"""What bash says to a script that it can't read."""

from __future__ import annotations

from nodeworthy.boot.shell.strict.grammar import BashGrammar
from nodeworthy.boot.shell.strict.quoting import NotTold, Refused
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Switched on while the script runs, it changes how what comes behind is read.
_EXTGLOB = pattern(r"shopt\s+-s\s[^\n;&|]*\bextglob\b|-O\s*extglob|BASHOPTS=[^\n]*extglob")


@dataclass(frozen=True)
class Broken:
    # Bash's own words, without the file's name and the line.
    words: str
    # Where bash says it, as it counts lines.
    line: int
    # The line on which the command begins that it could not read.
    line_of_begin: int
    # Where that command begins, as an offset: up to here everything is run.
    begins: int
    # As far as it had read, as an offset.
    read: int


def why_unreadable(text: str) -> Broken | None:
    """None also where it is too deep or too tangled to be sure."""
    text = text if text.endswith("\n") else f"{text}\n"
    grammar = BashGrammar(text, extglob=_EXTGLOB.search(text) is not None)
    try:
        grammar.script()
    except Refused as refused:
        line = text.count("\n", 0, refused.at) + 1
        begins = grammar.command_start
        return Broken(refused.words, line, text.count("\n", 0, begins) + 1, begins, refused.read)
    except (NotTold, RecursionError):
        return None
    return None
