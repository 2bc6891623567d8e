"""Edits of a text whose lines are all that is known of it: scripts and tables."""

from __future__ import annotations

from nodeworthy.edit import Edit
from nodeworthy.fixes.change import Change, NotMended
from nodeworthy.fixes.text import Text
from nodeworthy.patterns import pattern

# A command that has its line to itself, also as an item of a list; words and options, and nothing of the shell's.
_ALONE = pattern(
    r"(?P<lead>[ \t]*(?:- )?)(?P<sudo>sudo )?(?P<command>[\w./][\w./@:=,+%~-]*(?:[ \t]+[\w./@:=,+%~${}-]+)*)"
)
_WORDS_OF_THE_SHELL = {
    *("if", "then", "else", "elif", "fi", "while", "until", "for", "do", "done", "case", "esac", "select"),
    *("exec", "exit", "return", "eval", "function", "time", "coproc"),
}

_DASHED = pattern(r"[ \t]*(?P<dash>-) +(?P<key>[A-Za-z]+) *:")


def behind_command(text: Text, edit: Edit) -> list[Change]:
    number = edit.place.line or 0
    alone = _ALONE.fullmatch(text.line(number).rstrip())
    first = alone["command"].split()[0] if alone is not None else ""
    if alone is None or first in _WORDS_OF_THE_SHELL or "=" in first or _goes_on(text.line(number - 1)):
        raise NotMended("the command that starts it does not stand alone on its line")
    if edit.was not in alone[0]:
        raise NotMended("another command stands there")
    end = text.end(number)
    return [Change(end, end, f"{text.line_end(number)}{alone['lead']}{alone['sudo'] or ''}{edit.new}")]


def _goes_on(line: str) -> bool:
    """Whether a command goes on in the next line."""
    return line.rstrip().endswith(("\\", "&&", "||", "|"))


def word(text: Text, edit: Edit) -> list[Change]:
    line, was = text.line(edit.place.line or 0), edit.was
    at = line.find(was)
    alone = at > 0 and line.count(was) == 1 and line[at - 1].isspace() and line[at + len(was) :][:1].isspace()
    if not was or not alone:
        raise NotMended("its words do not stand in this line as they are known")
    start = text.start(edit.place.line or 0) + at
    return [Change(start, start + len(was), edit.new)]


def line_ends(text: Text, edit: Edit) -> list[Change]:
    if edit.was not in text.text:
        raise NotMended("no line of it ends so")
    return [Change(0, len(text.text), text.text.replace(edit.was, edit.new))]


def leading_blanks(text: Text, _: Edit) -> list[Change]:
    blanks = len(text.text) - len(text.text.lstrip("\r\n \t"))
    if not blanks:
        raise NotMended("its remedy is a decision: what stands before the header is no blank")
    return [Change(0, blanks, "")]


def without_dash(text: Text, edit: Edit) -> list[Change]:
    """A blank in its place, so that the key stays where it is: below the keys of the entry before."""
    line = edit.place.line or 0
    start = text.offset(line)
    found = _DASHED.match(text.text, start, text.end(line)) if start is not None else None
    if found is None or found["key"] != edit.was:
        raise NotMended("it does not stand on a line of its own")
    above = _DASHED.match(text.text, text.offset(line - 1) or 0, text.end(line - 1)) if line > 1 else None
    if above is None or above.start("key") - (text.offset(line - 1) or 0) != found.start("key") - (start or 0):
        raise NotMended("the entry before does not stand on the line above")
    return [Change(found.start("dash"), found.end("dash"), " ")]
