"""Makefiles as the shell that make runs: of every recipe its commands, each on its own line, and of every variable what
it says. Nothing else of them is read."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.files import any_text
from nodeworthy.patterns import pattern

_SETS = pattern(r"(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?:\?|::?)?=[ \t]*(.*)")
_SHELL = pattern(r"\$\(shell[ \t]+")
_VARIABLE = pattern(r"\$[({]([A-Za-z_]\w*)[)}]")
# What make asks before it runs a command: to say nothing, to go on, to run in any case.
_BEFORE = "@-+ \t"


def as_shell(data: bytes) -> bytes:
    """A script of as many lines. The first line says that it is shell; what would be set in it stands before the second
    one."""
    first, *others = _lines(any_text(data))
    if others and first and not first.startswith("#"):
        others[0] = f"{first}; {others[0]}" if others[0] and not others[0].startswith("#") else first
    return "\n".join(["#!/bin/sh", *others]).encode()


def _lines(text: str) -> Iterator[str]:
    goes_on = False
    for line in text.split("\n"):
        if line.startswith("\t"):
            yield _as_make_runs_it(line[1:] if goes_on else line.lstrip(_BEFORE))
        else:
            yield line if line.startswith("#") else _set(line)
        goes_on = line.endswith("\\")


def _set(line: str) -> str:
    found = _SETS.fullmatch(line)
    if found is None:
        return ""
    said = found[2].partition(" #")[0].strip()
    return f'{found[1]}="{_as_make_runs_it(said)}"' if '"' not in said and "\\" not in said else ""


def _as_make_runs_it(command: str) -> str:
    """make fills its own variables in, and leaves one dollar of two."""
    made = _VARIABLE.sub(r"${\1}", _SHELL.sub("$(", command.replace("$$", "\0")))
    return made.replace("\0", "$")
