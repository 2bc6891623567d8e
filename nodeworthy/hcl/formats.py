"""Functions of formats: `format` and `formatlist`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodeworthy.hcl.arithmetic import Number, general
from nodeworthy.hcl.calling import Calling, Function, cut, whole_text
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Piece,
    Refusal,
    Scalar,
    Seq,
    Str,
    Value,
    Waits,
    is_null,
    need_known,
    num,
    string,
    text,
)

_VERB = re.compile(
    r"%(?P<flags>[-+# 0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?:\[(?P<index>\d+)\])?(?P<verb>[a-zA-Z%])"
)


def format_(c: Calling, told: Value, *arguments: Value) -> Value:
    made, whole = whole_text(told)
    pieces: list[Piece] = []
    at = turn = 0
    used = 0
    for verb in _VERB.finditer(whole):
        pieces += cut(made, at, verb.start()).pieces
        at = verb.end()
        if verb["verb"] == "%":
            pieces.append(Lit("%", made.spot))
            continue
        turn = int(verb["index"]) if verb["index"] else turn + 1
        if not 1 <= turn <= len(arguments):
            raise Refusal("format() has too few arguments")
        used = max(used, turn)
        pieces += _format_verb(c, verb, arguments[turn - 1])
    rest = cut(made, at, len(whole))
    if "%" in _VERB.sub("", whole):
        raise Refusal("this is no format")
    if used < len(arguments) and not any(verb["index"] for verb in _VERB.finditer(whole)):
        raise Refusal("format() has too many arguments")
    return c.string([*pieces, *rest.pieces], made.secret)


def _format_verb(c: Calling, verb: re.Match[str], value: Value) -> Sequence[Piece]:
    if is_null(value):
        raise Waits(Hole("format() of null", c.spot))
    kind, width = verb["verb"], int(verb["width"] or 0)
    if width > 10_000 or int(verb["precision"] or 0) > 10_000:
        raise Refusal("so wide")
    plain = not (verb["flags"] or width or verb["precision"])
    if kind in "sv" and plain and isinstance(value, (Str, Hole)):
        return string(value).pieces
    if isinstance(value, Hole):
        raise Waits(value)
    return [Lit(_padded(verb, _in_letters(c, verb, value), width), value.spot)]


def _in_letters(c: Calling, verb: re.Match[str], value: Value) -> str:
    kind = verb["verb"]
    if kind in "dboxXeEfFgG" and kind != "v":
        return _number(verb, num(value))
    if kind == "t":
        from nodeworthy.hcl.values import boolean

        return "true" if boolean(value) else "false"
    if kind == "v" and isinstance(value, Scalar) and not isinstance(value.value, bool) and value.value is not None:
        return general(value.value)
    if kind == "v" and "#" not in verb["flags"] and isinstance(value, (Str, Scalar)):
        return text(string(value))
    if kind == "v":
        from nodeworthy.hcl.codings import jsonencode

        return text(jsonencode(c, value))
    if kind in "sq":
        told = text(string(value))
        told = told[: int(verb["precision"] or 0)] if verb["precision"] is not None else told
        return _quoted(told) if kind == "q" else told
    raise Refusal(f"format() has no %{kind}")


def _quoted(told: str) -> str:
    from json import dumps

    return dumps(told, ensure_ascii=False)


def _number(verb: re.Match[str], value: Number) -> str:
    kind, sign = verb["verb"], "+" if "+" in verb["flags"] else " " if " " in verb["flags"] else ""
    if kind in "dboxX":
        if not isinstance(value, int):
            raise Refusal("a whole number is required")
        return format(value, f"{sign}{kind}")
    precision = verb["precision"]
    if kind == "g" and precision is None:
        return general(value)
    return format(float(value), f"{sign}.{precision or 6}{kind}") if kind != "g" else format(float(value), "g")


def _padded(verb: re.Match[str], told: str, width: int) -> str:
    if "-" in verb["flags"]:
        return told.ljust(width)
    if "0" in verb["flags"]:
        return told.zfill(width) if verb["verb"] not in "sqv" else told.rjust(width, "0")
    return told.rjust(width)


def formatlist(c: Calling, told: Value, *arguments: Value) -> Value:
    known_ones = [need_known(each) for each in arguments]
    lengths = {len(each.items) for each in known_ones if isinstance(each, Seq)}
    if len(lengths) > 1:
        raise Refusal("formatlist() takes lists of one length")
    rows = range(lengths.pop() if lengths else 1)
    c.scope.world.budget.step(len(rows) * (1 + len(known_ones)))
    made = [
        format_(c, told, *[each.items[row] if isinstance(each, Seq) else each for each in known_ones]) for row in rows
    ]
    return c.sequence("list", made)


FUNCTIONS: dict[str, Function] = {"format": format_, "formatlist": formatlist}
