"""A justfile as one shell script of as many lines: what its recipes run, and what its variables say. A value that just
fills in is a variable of the shell's there."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.files import any_text
from nodeworthy.patterns import pattern

_SETS = pattern(r"(?:export[ \t]{1,8})?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*(['\"])([^'\"\\\n]*)\2[ \t]*")
_FILLED_IN = pattern(r"\{\{[ \t]*([A-Za-z_][\w-]*)[ \t]*\}\}", words=("{{",))
_WORKED_OUT = pattern(r"\{\{[^{}\n]{1,200}\}\}", words=("{{",))
# What just is told of a line before it runs it: to say nothing, to go on.
_BEFORE = "@- \t"


def is_justfile(name: str) -> bool:
    return name.lower() in ("justfile", ".justfile") or name.endswith(".just")


def as_shell(data: bytes) -> bytes:
    first, *others = _lines(any_text(data))
    if first and others:
        others[0] = f"{first}; {others[0]}" if others[0] else first
    return "\n".join(["#!/bin/sh", *others]).encode()


def _lines(text: str) -> Iterator[str]:
    goes_on = False
    for line in text.split("\n"):
        if line.startswith((" ", "\t")):
            bare = line if goes_on else line.lstrip(_BEFORE)
            yield "" if bare.startswith("#!") else _with_its_variables(bare)
        else:
            yield _set(line)
        goes_on = line.endswith("\\")


def _set(line: str) -> str:
    found = _SETS.fullmatch(line)
    return f'{_of_the_shell(found[1])}="{found[3]}"' if found is not None else ""


def _with_its_variables(command: str) -> str:
    named = _FILLED_IN.sub(lambda found: f"${{{_of_the_shell(found[1])}}}", command)
    return _WORKED_OUT.sub("${worked_out_by_just}", named)


def _of_the_shell(name: str) -> str:
    return name.replace("-", "_")
