"""Functions on strings. What is a hole stays one, wherever the rest can be told without it."""

from __future__ import annotations

import re
from collections.abc import Callable

from nodeworthy.hcl.calling import Calling, Function, countable_text, cut, whole_text
from nodeworthy.hcl.values import (
    Hole,
    Lit,
    Piece,
    Refusal,
    Scalar,
    Str,
    Value,
    is_null,
    need_list,
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
        from nodeworthy.hcl.patterns import replace_pattern

        return replace_pattern(c, made, wanted[1:-1], text(other))
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
    """Replaces in a string without holes, also across its pieces."""
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
    "indent": indent,
    "join": join,
    "lower": lower,
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
