"""Secrets that sed writes into a file: `sed -i 's/^password: .*/password: …/'`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.known.secret_names import holds, is_secret
from nodeworthy.patterns import pattern

MARK = "sed "
# How much of a command, of an expression and of what it writes is looked at.
_COMMAND, _LONGEST, _WRITTEN = 2000, 300, 200
_EXPRESSIONS = 20
_SUBSTITUTES = pattern(r"(?<![\w-])s(?P<by>[/|#,@%!+~])")
# The last that is written; `&` and `\1` are what stood there.
_SETS = pattern(
    r"(?<![\w.-])(?P<name>[\w.-]{1,64})\\?[\"']?[ \t]{0,2}(?::[ \t]{1,2}|=[ \t]{0,2})\\?[\"']?"
    r"(?P<value>[^\s\"'`$&|;\\{}<>]{1,128})\\?[\"']?,?\Z"
)


def begins(text: str, at: int) -> int:
    """Where the command begins that writes what stands here: what it looks for is no other secret."""
    return text.rfind(MARK, max(0, at - _COMMAND), at)


def secrets_of_sed(text: str) -> Iterator[tuple[int, int, str]]:
    start = text.find(MARK)
    while start >= 0:
        line = text.find("\n", start, start + _COMMAND)
        end = line if line >= 0 else min(len(text), start + _COMMAND)
        if not text[max(0, start - 1) : start].isalnum():
            yield from _secrets_written(text, start + len(MARK), end)
        start = text.find(MARK, end)


def _secrets_written(text: str, at: int, end: int) -> Iterator[tuple[int, int, str]]:
    for _ in range(_EXPRESSIONS):
        begun = _SUBSTITUTES.search(text, at, end)
        if begun is None:
            return
        by, at = begun["by"], begun.end()
        looked_for = _end_of_part(text, at, by, end)
        written = _end_of_part(text, looked_for + 1, by, end) if looked_for >= 0 else -1
        if written < 0:
            continue
        found = _SETS.search(text, max(looked_for + 1, written - _WRITTEN), written)
        at = written + 1
        if found is not None and (what := _what_it_is(found)) is not None:
            yield *found.span("value"), what


def _end_of_part(text: str, at: int, by: str, end: int) -> int:
    """Where the part of an expression ends that begins here; -1 where it does not, nearby."""
    end = min(end, at + _LONGEST)
    found = text.find(by, at, end)
    while found > 0 and text[found - 1] == "\\":
        found = text.find(by, found + 1, end)
    return found


def _what_it_is(found: re.Match[str]) -> str | None:
    kind = holds(found["name"])
    return f"a {kind.value} that sed writes" if kind is not None and is_secret(found["value"], kind) else None
