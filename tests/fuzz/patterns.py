"""Texts that a pattern likes least: as far as one of its repetitions, that over and over, and no end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from re import _constants as told  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_REPEATS = (told.MAX_REPEAT, told.MIN_REPEAT, told.POSSESSIVE_REPEAT)
_LETTERS = "a [-\"'{$(=.:\t\n"
_CATEGORIES = {told.CATEGORY_DIGIT: "1", told.CATEGORY_SPACE: " ", told.CATEGORY_WORD: "a"}
_MOST = 60


def attacks(written: str, flags: int, length: int) -> Iterator[str]:
    """Of one pattern, some tens."""
    seen = dict.fromkeys(_repeated(parser.parse(written, flags), ""))
    for before, unit in list(seen)[:_MOST]:
        for lead in ("", "x "):
            yield f"{lead}{before}{unit * (length // len(unit))}\x01"


def _repeated(sequence: Any, before: str) -> Iterator[tuple[str, str]]:
    """What stands before a repetition, and what it repeats; also within others."""
    for node in sequence:
        does, what = node
        if does in _REPEATS:
            if what[1] is told.MAXREPEAT or what[1] > 100:
                yield from ((before, each) for each in _texts(what[2]) if each)
            yield from _repeated(what[2], before)
        for inner in _inner(does, what):
            yield from _repeated(inner, before)
        before += next(iter(_of(node)), "")


def _inner(does: Any, what: Any) -> Sequence[Any]:
    if does is told.SUBPATTERN:
        return [what[3]]
    if does is told.BRANCH:
        return list(what[1])
    return [what] if does is told.ATOMIC_GROUP else []


def _texts(sequence: Any) -> list[str]:
    """Some texts that it takes: one, and one for each choice in it."""
    parts = [_of(node) or [""] for node in sequence]
    first = [part[0] for part in parts]
    others = ["".join([*first[:at], each, *first[at + 1 :]]) for at, part in enumerate(parts) for each in part[1:4]]
    return ["".join(first), *others][:8]


def _of(node: Any) -> list[str]:
    does, what = node
    if does is told.LITERAL:
        return [chr(what)]
    if does is told.NOT_LITERAL:
        return [each for each in 'a "' if ord(each) != what]
    if does is told.ANY:
        return ["a", " ", '"', "-"]
    if does is told.IN:
        return _of_class(what)
    if does in _REPEATS:
        return [each * max(what[0], 1) for each in _texts(what[2])][:6] + ([] if what[0] else [""])
    return [each for inner in _inner(does, what) for each in _texts(inner)][:10] or [""]


def _of_class(what: Any) -> list[str]:
    letters = []
    for does, value in what:
        if does is told.LITERAL:
            letters.append(chr(value))
        elif does is told.RANGE:
            letters.append(chr(value[0]))
        elif does is told.CATEGORY:
            letters.append(_CATEGORIES.get(value, "!"))
    if what[0][0] is not told.NEGATE:
        return list(dict.fromkeys(letters))[:6]
    held = {*letters, *(" \t\n" if " " in letters else "")}
    return [each for each in _LETTERS if each not in held][:6]


# What a pattern leaves open: any letters, or none.
_OPEN = "\0"
_MOST_WAYS = 20_000


def without(written: str, flags: int, words: Sequence[str]) -> str | None:
    """What a pattern may take in which none of these words surely stands, its open places as NULs. Of one that takes
    letters large or small, what it takes is told in small ones."""
    parsed = parser.parse(written, flags)
    ways = _ways(parsed, words, small=bool(parsed.state.flags & told.SRE_FLAG_IGNORECASE))
    return next((each for each in ways if not _has_one(each, words)), None)


def _has_one(way: str, words: Sequence[str]) -> bool:
    return any(each in way for each in words)


def _ways(sequence: Any, words: Sequence[str], *, small: bool) -> set[str]:
    """All that it takes, as far as its letters are written out. Of those that have a word already one is enough."""
    ways = {""}
    for node in sequence:
        ways = {before + each for before in ways for each in _ways_of(node, words, small=small)}
        ways = {words[0] if _has_one(each, words) else each for each in ways}
        assert len(ways) < _MOST_WAYS, "too many ways to try them all"
    return ways


def _ways_of(node: Any, words: Sequence[str], *, small: bool) -> set[str]:
    does, what = node
    if does is told.LITERAL:
        return {_letter(what, small=small)}
    if does in (told.AT, told.ASSERT, told.ASSERT_NOT):
        return {""}
    if does is told.BRANCH:
        return set().union(*(_ways(each, words, small=small) for each in what[1]))
    if does is told.SUBPATTERN:
        # Within it capitals may be none.
        return {_OPEN} if what[1] & told.SRE_FLAG_IGNORECASE and not small else _ways(what[3], words, small=small)
    if does in _REPEATS:
        least, most, inner = what
        once = _ways(inner, words, small=small) if least or most == 1 else {_OPEN}
        more = once if most == 1 else {f"{each}{_OPEN}" for each in once}
        return more if least else {"", *more}
    if does is told.IN and len(what) <= 4 and all(kind is told.LITERAL for kind, _ in what):
        return {_letter(letter, small=small) for _, letter in what}
    return {_OPEN}


def _letter(number: int, *, small: bool) -> str:
    return chr(number).casefold() if small else chr(number)


def takes_a_lines_end(written: str, flags: int) -> bool:
    """Whether a line's end may stand in what it takes, or decides where that ends."""
    parsed = parser.parse(written, flags)
    return _takes_an_end(parsed, parsed.state.flags)


def _takes_an_end(sequence: Any, flags: int) -> bool:
    return any(_node_takes_an_end(does, what, flags) for does, what in sequence)


_OF_ANY_TEXT = (told.AT_BOUNDARY, told.AT_NON_BOUNDARY)
_OF_LINES = (told.AT_BEGINNING, told.AT_END)
_WITH_ENDS = (told.CATEGORY_SPACE, told.CATEGORY_NOT_DIGIT, told.CATEGORY_NOT_WORD)


def _node_takes_an_end(does: Any, what: Any, flags: int) -> bool:
    if does is told.LITERAL:
        return bool(what == ord("\n"))
    if does is told.NOT_LITERAL:
        return bool(what != ord("\n"))
    if does is told.ANY:
        return bool(flags & told.SRE_FLAG_DOTALL)
    if does is told.AT:
        return what not in _OF_ANY_TEXT and not (what in _OF_LINES and flags & told.SRE_FLAG_MULTILINE)
    if does is told.IN:
        return _class_takes_an_end(what)
    if does is told.SUBPATTERN:
        return _takes_an_end(what[3], (flags | what[1]) & ~what[2])
    if does in (told.ASSERT, told.ASSERT_NOT):
        return _takes_an_end(what[1], flags)
    if does in _REPEATS:
        return _takes_an_end(what[2], flags)
    return does is told.GROUPREF or any(_takes_an_end(each, flags) for each in _inner(does, what))


def _class_takes_an_end(what: Any) -> bool:
    end = ord("\n")
    takes = any(
        (does is told.LITERAL and value == end)
        or (does is told.RANGE and value[0] <= end <= value[1])
        or (does is told.CATEGORY and value in _WITH_ENDS)
        for does, value in what
    )
    return takes is not (what[0][0] is told.NEGATE)
