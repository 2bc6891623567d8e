"""Functions of patterns. Terraform's are RE2's, which never backtrack; ours do: what could take long is not tried."""

from __future__ import annotations

import re
from functools import cache

from nodeworthy.hcl.calling import Calling, Function, cut, whole_text
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Obj,
    Piece,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    text,
)

_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "word": r"0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


_NOT_ALIKE = re.compile(r"\\[pPQECXzGKR<>hHNuU]|\(\?[=!<>(P]*[=!>(]|\(\?[a-zA-Z]*U|\\\d|[*+?}]\+")


_STEPS = 2_000_000


@cache
def _pattern(written: str) -> re.Pattern[str] | None:
    """None for one that means something else to RE2, or that we can't read."""
    told = re.sub(r"\[:(\w+):\]", lambda found: _POSIX.get(found[1], "[::]"), written).replace(r"\z", r"\Z")
    if _NOT_ALIKE.search(told.replace(r"\Z", "")) or "[::]" in told or len(told) > 1000:
        return None
    told = told.replace("(?<", "(?P<") if "(?<" in told else told
    told = re.sub(r"(?<!\\)((?:\\\\)*)\$(?![^\[]*\])", r"\1(?!\n\\Z)$", told).replace(r"(?!\n\Z)$", r"\Z")
    try:
        return re.compile(told, re.ASCII)
    except (re.error, RecursionError, OverflowError):
        return None


def _cost(pattern: str, subject: str) -> float:
    """How many ways there are to try, at most."""
    if re.search(r"\)(?:[*+]|\{\d*,?\d*\})", pattern):
        return float(2 ** min(len(subject), 64))
    loops = len(re.findall(r"(?<!\\)[*+]|\{\d*,\d*\}", pattern))
    return float(max(len(subject), 1)) ** min(loops + 1, 20)


def _searched(c: Calling, written: str, subject: str) -> re.Pattern[str]:
    found = _pattern(written)
    if found is None or _cost(written, subject) > _STEPS:
        raise Waits(Hole(f"the pattern {written!r} is not tried here", c.spot))
    return found


def replace_pattern(c: Calling, made: Str, written: str, new: str) -> Value:
    whole = text(made)
    found = _searched(c, written, whole)
    if found.fullmatch("") is not None:
        raise Waits(Hole("a pattern that nothing fits is not tried here", c.spot))

    def filled(match: re.Match[str]) -> str:
        def group(name: re.Match[str]) -> str:
            if name[0] == "$$":
                return "$"
            try:
                told = name[1] or name[2]
                return match[int(told) if told.isdecimal() else told] or ""
            except IndexError:
                return ""

        return re.sub(r"\$\$|\$(?:\{(\w+)\}|(\w+))", group, new)

    pieces: list[Piece] = []
    at = 0
    for match in found.finditer(whole):
        pieces += [*cut(made, at, match.start()).pieces, Lit(filled(match), cut(made, match.start(), match.end()).spot)]
        at = match.end()
    return c.string([*pieces, *cut(made, at, len(whole)).pieces], made.secret)


def regex(c: Calling, pattern: Value, value: Value) -> Value:
    made, whole = whole_text(value)
    match = _searched(c, text(pattern), whole).search(whole)
    if match is None:
        raise Refusal("nothing fits the pattern of regex()")
    return _captured(c, made, match)


def regexall(c: Calling, pattern: Value, value: Value) -> Value:
    made, whole = whole_text(value)
    found = _searched(c, text(pattern), whole).finditer(whole)
    return c.sequence("list", [_captured(c, made, each) for each in found])


def _captured(c: Calling, made: Str, match: re.Match[str]) -> Value:
    def part(start: int, end: int) -> Value:
        return cut(made, start, end) if start >= 0 else Scalar(None, c.spot)

    if not match.re.groups:
        return part(*match.span())
    if match.re.groupindex:
        items = {name: part(*match.span(name)) for name in match.re.groupindex}
        return Obj("object", items, c.spot, {})
    return Seq("tuple", [part(*match.span(index + 1)) for index in range(match.re.groups)], c.spot)


FUNCTIONS: dict[str, Function] = {"regex": regex, "regexall": regexall}
