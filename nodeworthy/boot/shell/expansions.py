"""`${NAME:-word}` and its kin: what a shell makes of a value that is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache

from nodeworthy.patterns import pattern

_SUBSTRING = pattern(r"\s*(-?\d+)\s*(?::\s*(-?\d+))?\s*")


def applied(operator: str, value: str, argument: str) -> str | None:
    """The value after an operator that changes it; None where that is not understood."""
    apply = _APPLIED.get(operator)
    return apply(value, argument) if apply is not None else None


def _without_prefix(value: str, pattern: str, *, longest: bool) -> str:
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    match = glob(pattern)
    return next((value[end:] for end in ends if match(value[:end])), value)


def _without_suffix(value: str, pattern: str, *, longest: bool) -> str:
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    match = glob(pattern)
    return next((value[:start] for start in starts if match(value[start:])), value)


def _substring(value: str, argument: str) -> str | None:
    found = _SUBSTRING.fullmatch(argument)
    if found is None:
        return None
    start, length = int(found[1]), found[2]
    start = max(0, len(value) + start) if start < 0 else start
    if length is None:
        return value[start:]
    return value[start : start + int(length)] if int(length) >= 0 else value[start : int(length)]


def _replaced(value: str, argument: str, *, every: bool) -> str | None:
    pattern, _, by = argument.partition("/")
    if any(sign in pattern for sign in "*?["):
        return None
    return value.replace(pattern, by, -1 if every else 1) if pattern else value


def glob(pattern: str) -> Callable[[str], bool]:
    """Whether a text is what a shell's pattern says."""
    compiled = _compiled(pattern)
    return lambda text: compiled.match(text) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[^", "[!")))


_APPLIED: dict[str, Callable[[str, str], str | None]] = {
    "#": lambda value, pattern: _without_prefix(value, pattern, longest=False),
    "##": lambda value, pattern: _without_prefix(value, pattern, longest=True),
    "%": lambda value, pattern: _without_suffix(value, pattern, longest=False),
    "%%": lambda value, pattern: _without_suffix(value, pattern, longest=True),
    "/": lambda value, argument: _replaced(value, argument, every=False),
    "//": lambda value, argument: _replaced(value, argument, every=True),
    ":": _substring,
    ",,": lambda value, _: value.lower(),
    "^^": lambda value, _: value.upper(),
    ",": lambda value, _: value[:1].lower() + value[1:],
    "^": lambda value, _: value[:1].upper() + value[1:],
    "length": lambda value, _: str(len(value)),
}
