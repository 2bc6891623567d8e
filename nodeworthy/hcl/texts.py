"""Functions on strings. What is a hole stays one, wherever the rest can be told without it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from nodeworthy.hcl.arithmetic import Number, general
from nodeworthy.hcl.calling import Calling, Function, countable_text, cut, whole_text
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
    is_null,
    need_known,
    need_list,
    num,
    string,
    text,
    text_of,
    whole_num,
)

_SPACE = " \t\n\r\v\f\x85\xa0\u2028\u2029\u3000\u1680\u202f\u205f" + "".join(map(chr, range(0x2000, 0x200B)))


def _each_piece(c: Calling, value: Value, change: Callable[[str], str]) -> Str:
    made = string(value)
    pieces: list[Piece] = []
    for each in made.pieces:
        if isinstance(each, Hole):
            pieces.append(each)
        else:
            changed = change(each.text)
            pieces.append(Lit(changed, each.spot, each.straight and len(changed) == len(each.text)))
    return c.string(pieces, made.secret)


def lower(c: Calling, value: Value) -> Value:
    return _each_piece(c, value, str.lower)


def upper(c: Calling, value: Value) -> Value:
    return _each_piece(c, value, _upper)


def _upper(text: str) -> str:
    """Letter by letter, as Go does."""
    return "".join([up if len(up := each.upper()) == 1 else each for each in text])


def title(c: Calling, value: Value) -> Value:
    made, whole = whole_text(value)
    changed = re.sub(r"(?<![\w'])\w", lambda found: found[0].upper(), whole)
    return Str((Lit(changed, made.spot),), made.spot, made.secret)


def _stripped(c: Calling, value: Value, characters: str, *, left: bool = True, right: bool = True) -> Str:
    """A hole at its edge ends the stripping there: what it holds is not known, and stays a hole."""
    made = string(value)
    pieces = list(made.pieces)
    while left and pieces and isinstance(first := pieces[0], Lit):
        kept = first.text.lstrip(characters)
        pieces[0] = Lit(kept, first.spot_at(len(first.text) - len(kept)), first.straight)
        if kept:
            break
        del pieces[0]
    while right and pieces and isinstance(last := pieces[-1], Lit):
        kept = last.text.rstrip(characters)
        pieces[-1] = Lit(kept, last.spot, last.straight)
        if kept:
            break
        del pieces[-1]
    return c.string(pieces, made.secret) if pieces else Str((), made.spot, made.secret)


def chomp(c: Calling, value: Value) -> Value:
    return _stripped(c, value, "\r\n", left=False)


def trimspace(c: Calling, value: Value) -> Value:
    return _stripped(c, value, _SPACE)


def trim(c: Calling, value: Value, characters: Value) -> Value:
    return _stripped(c, value, text(characters))


def trimprefix(c: Calling, value: Value, prefix: Value) -> Value:
    made, wanted = string(value), text(prefix)
    if not wanted or not _begins(made, wanted):
        return made
    first = made.pieces[0]
    if made.hole is None:
        return cut(made, len(wanted), 1 << 60)
    assert isinstance(first, Lit)
    rest = Lit(first.text[len(wanted) :], first.spot_at(len(wanted)), first.straight)
    return c.string([rest, *made.pieces[1:]], made.secret)


def trimsuffix(c: Calling, value: Value, suffix: Value) -> Value:
    made, wanted = string(value), text(suffix)
    if not _ends(made, wanted):
        return made
    if made.hole is None:
        return cut(made, 0, len(text(made)) - len(wanted))
    last = made.pieces[-1]
    assert isinstance(last, Lit)
    kept = Lit(last.text[: len(last.text) - len(wanted)], last.spot, last.straight)
    return c.string([*made.pieces[:-1], kept], made.secret)


def _begins(made: Str, wanted: str) -> bool:
    """Raises Waits where that depends on a hole."""
    if made.known is not None:
        return made.known.startswith(wanted)
    first = made.pieces[0]
    head = first.text if isinstance(first, Lit) else ""
    if len(head) < len(wanted) and wanted.startswith(head):
        text(made)
    return head.startswith(wanted)


def _ends(made: Str, wanted: str) -> bool:
    if made.known is not None:
        return made.known.endswith(wanted)
    last = made.pieces[-1]
    tail = last.text if isinstance(last, Lit) else ""
    if len(tail) < len(wanted) and wanted.endswith(tail):
        text(made)
    return tail.endswith(wanted)


def startswith(c: Calling, value: Value, prefix: Value) -> Value:
    return Scalar(_begins(string(value), text(prefix)), c.spot)


def endswith(c: Calling, value: Value, suffix: Value) -> Value:
    return Scalar(_ends(string(value), text(suffix)), c.spot)


def strcontains(c: Calling, value: Value, wanted: Value) -> Value:
    made, part = string(value), text(wanted)
    if made.known is None and any(isinstance(each, Lit) and part in each.text for each in made.pieces):
        return Scalar(True, c.spot)
    return Scalar(part in text(made), c.spot)


def strrev(c: Calling, value: Value) -> Value:
    return c.told(countable_text(text(value), c.spot)[::-1])


def substr(c: Calling, value: Value, offset: Value, length: Value) -> Value:
    made, whole = whole_text(value)
    countable_text(whole, c.spot)
    start, count = whole_num(offset), whole_num(length)
    if start < 0:
        start = max(len(whole) + start, 0)
    to_its_end = count < 0 or (count == 0 and whole_num(offset) < 0)
    end = len(whole) if to_its_end else start + count
    return cut(made, min(start, len(whole)), min(end, len(whole)))


def indent(c: Calling, spaces: Value, value: Value) -> Value:
    made, count = string(value), whole_num(spaces)
    if not 0 <= count <= 1000:
        raise Refusal("indent() takes a number of spaces")
    pad = " " * count
    pieces: list[Piece] = []
    for piece in made.pieces:
        if isinstance(piece, Hole) or "\n" not in piece.text:
            pieces.append(piece)
            continue
        at = 0
        while (end := piece.text.find("\n", at)) >= 0:
            pieces.append(Lit(piece.text[at : end + 1], piece.spot_at(at), piece.straight))
            pieces.append(Lit(pad, piece.spot_at(at)))
            at = end + 1
        pieces.append(Lit(piece.text[at:], piece.spot_at(at), piece.straight))
    return c.string(pieces, made.secret)


def join(c: Calling, separator: Value, *lists: Value) -> Value:
    between = string(separator)
    pieces: list[Piece] = []
    for each in [each for one in lists for each in need_list(one)]:
        if is_null(each):
            raise Refusal("null can't be joined")
        pieces += [*(between.pieces if pieces else ()), *(string(each).pieces or (Lit("", each.spot),))]
    return c.string(pieces)


def split(c: Calling, separator: Value, value: Value) -> Value:
    made, whole = whole_text(value)
    between = text(separator)
    parts: list[Value] = []
    at = 0
    if not between:
        return c.sequence("list", [cut(made, index, index + 1) for index in range(min(len(whole), 30_000))])
    while (end := whole.find(between, at)) >= 0:
        parts.append(cut(made, at, end))
        at = end + len(between)
        c.scope.world.budget.step(1 + len(made.pieces))
    parts.append(cut(made, at, len(whole)))
    return c.sequence("list", parts)


def replace(c: Calling, value: Value, old: Value, new: Value) -> Value:
    made, wanted, other = string(value), text(old), string(new)
    if len(wanted) > 1 and wanted.startswith("/") and wanted.endswith("/"):
        return _replace_pattern(c, made, wanted[1:-1], text(other))
    if made.hole is not None and _may_span(made, wanted):
        text(made)
    return c.string(_replaced(made, wanted, other), made.secret) if wanted else _replace_nothing(c, made, other)


def _replace_nothing(c: Calling, made: Str, other: Str) -> Str:
    return c.told(text(made).replace("", text(other)))


def _may_span(made: Str, wanted: str) -> bool:
    """Whether it may stand across the edge of a hole."""
    pieces = made.pieces
    for index, piece in enumerate(pieces):
        if not isinstance(piece, Hole):
            continue
        before = pieces[index - 1] if index else None
        after = pieces[index + 1] if index + 1 < len(pieces) else None
        for size in range(1, len(wanted)):
            if isinstance(before, Lit) and before.text.endswith(wanted[:size]):
                return True
            if isinstance(after, Lit) and after.text.startswith(wanted[size:]):
                return True
    return False


def _replaced(made: Str, wanted: str, other: Str) -> list[Piece]:
    """Of a string without holes, found across its pieces."""
    if made.known is not None:
        pieces: list[Piece] = []
        at = 0
        while (end := made.known.find(wanted, at)) >= 0:
            pieces += [*cut(made, at, end).pieces, *other.pieces]
            at = end + len(wanted)
            if len(pieces) > 50_000:
                raise Refusal("so many places")
        return [*pieces, *cut(made, at, len(made.known)).pieces]
    replaced: list[Piece] = []
    for piece in made.pieces:
        if isinstance(piece, Hole):
            replaced.append(piece)
        else:
            replaced += _replaced(Str((piece,), piece.spot), wanted, other)
    return replaced


# Patterns. Terraform's are RE2's, which never backtrack; ours do, so what could take long is not tried.

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


def _replace_pattern(c: Calling, made: Str, written: str, new: str) -> Value:
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


# Formats

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
        pieces += _shown(c, verb, arguments[turn - 1])
    rest = cut(made, at, len(whole))
    if "%" in _VERB.sub("", whole):
        raise Refusal("this is no format")
    if used < len(arguments) and not any(verb["index"] for verb in _VERB.finditer(whole)):
        raise Refusal("format() has too many arguments")
    return c.string([*pieces, *rest.pieces], made.secret)


def _shown(c: Calling, verb: re.Match[str], value: Value) -> Sequence[Piece]:
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


def tostring(c: Calling, value: Value) -> Value:
    return value if isinstance(value, Hole) or is_null(value) else string(value)


def urlencode(c: Calling, value: Value) -> Value:
    from urllib.parse import quote_plus

    return c.told(quote_plus(text(value)))


def basename(c: Calling, value: Value) -> Value:
    path = text(value).rstrip("/")
    return text_of(path.rsplit("/", 1)[-1] or ("/" if text(value) else "."), c.spot)


def dirname(c: Calling, value: Value) -> Value:
    from posixpath import dirname as folder
    from posixpath import normpath

    return text_of(normpath(folder(text(value)) or "."), c.spot)


FUNCTIONS: dict[str, Function] = {
    "basename": basename,
    "chomp": chomp,
    "dirname": dirname,
    "endswith": endswith,
    "format": format_,
    "formatlist": formatlist,
    "indent": indent,
    "join": join,
    "lower": lower,
    "regex": regex,
    "regexall": regexall,
    "replace": replace,
    "split": split,
    "startswith": startswith,
    "strcontains": strcontains,
    "strrev": strrev,
    "substr": substr,
    "title": title,
    "tostring": tostring,
    "trim": trim,
    "trimprefix": trimprefix,
    "trimspace": trimspace,
    "trimsuffix": trimsuffix,
    "upper": upper,
    "urlencode": urlencode,
}
