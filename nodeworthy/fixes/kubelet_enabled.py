"""A unit that is started and never enabled: one command behind the one that starts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.fixes.edit import Edit, Fix, Left, NotMended
from nodeworthy.fixes.fault import Fault
from nodeworthy.fixes.text import Text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Finding

_BEHIND = pattern(r"behind line (?P<line>\d+): (?P<command>systemctl enable (?P<unit>[\w@.-]+))")
# A command that has its line to itself, also as an item of a list; words and options, and nothing of the shell's.
_ALONE = pattern(
    r"(?P<lead>[ \t]*(?:- )?)(?P<sudo>sudo )?(?P<command>[\w./][\w./@:=,+%~-]*(?:[ \t]+[\w./@:=,+%~${}-]+)*)"
)
_WORDS_OF_THE_SHELL = {
    *("if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "select"),
    *("exec", "exit", "return", "eval", "function", "time", "coproc"),
}


def fixes(fault: Fault) -> Iterator[Fix | Left]:
    for each in fault.findings:
        told = _BEHIND.fullmatch(each.remedy or "")
        if told is None or int(told["line"]) != each.where.line:
            yield Left(each, "its remedy is a decision")
        else:
            yield fault.mended([each], f"Add `{told['command']}`", _behind)


def _behind(text: Text, findings: Sequence[Finding]) -> list[Edit]:
    told = _BEHIND.fullmatch(findings[0].remedy or "")
    assert told is not None
    number = int(told["line"])
    line = text.line(number)
    alone = _ALONE.fullmatch(line.rstrip())
    first = alone["command"].split()[0] if alone is not None else ""
    if alone is None or first in _WORDS_OF_THE_SHELL or "=" in first or _goes_on(text.line(number - 1)):
        raise NotMended("the command that starts it does not stand alone on its line")
    end = text.end(number)
    return [Edit(end, end, f"{text.line_end(number)}{alone['lead']}{alone['sudo'] or ''}{told['command']}")]


def _goes_on(line: str) -> bool:
    """Whether a command goes on in the next line."""
    return line.rstrip().endswith(("\\", "&&", "||", "|"))
