"""The branches of a template: what it may come to be, with each of them chosen in turn.

Read are the conditions of Jinja (`{% if %}`), of Go (`{{ if }}`) and of Terraform (`%{ if }`), each alone or beside
other text. A condition that stands there twice is decided once, and `not X` against `X`. What stands in a loop is taken
once. Every line keeps its number.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_OPENING = r"(?P<jinja>\{%-?)|(?P<go>\{\{-?)|(?P<terraform>(?<![%])%\{~?)"
_DIRECTIVE = pattern(rf"(?:{_OPENING})[ \t]*+(?P<says>[^\n{{}}]{{0,500}}?)(?:-?%\}}|-?\}}\}}|~?\}})")
# Of Go: what stands in it is no directive, whatever it looks like.
_COMMENT = pattern(r"\{\{-?\s?/\*.*?\*/\s?-?\}\}", re.DOTALL)
_WORD = pattern(r"(?:else[ \t]+if|\w+)\b")
# So many conditions are taken in every combination; of more, each is held once against all the others.
_ALL = 4
_MOST = 40
_DEEPEST = 40
# Longer than any template of a node's file.
_LONGEST = 100_000


@dataclass
class _Part:
    """Text as it is, or a choice; in each branch of it parts again."""

    text: str = ""
    branches: list[tuple[str, list[_Part]]] = field(default_factory=list)


@dataclass
class _Open:
    word: str
    part: _Part
    around: list[_Part]


class _Unpaired(Exception):
    """An end without a beginning, or the reverse: nobody knows what belongs to which."""


def branches(text: str) -> list[str]:
    """Every text that it may come to be, as far as each branch is in one of them; none where it has none, or where
    they can't be told apart."""
    if len(text) > _LONGEST or not any(mark in text for mark in ("{%", "{{", "%{")):
        return []
    try:
        parts = _parts(_COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text))
    except _Unpaired:
        return []
    conditions = list(dict.fromkeys(_conditions(parts)))
    if not conditions or len(conditions) > _MOST:
        return []
    return list(dict.fromkeys("".join(_chosen(parts, each)) for each in _assignments(conditions)))


def _parts(text: str) -> list[_Part]:
    top: list[_Part] = []
    here, stack, end = top, list[_Open](), 0
    for found in _DIRECTIVE.finditer(text):
        word = _WORD.match(found["says"])
        does = re.sub(r"\s+", " ", word[0]) if word is not None else ""
        if not _steers(does, found):
            continue
        here.append(_Part(text[end : found.start()]))
        end = found.end()
        condition = found["says"][len(word[0]) if word is not None else 0 :].strip()
        here = _stepped(does, condition, here, stack)
    if stack:
        raise _Unpaired
    here.append(_Part(text[end:]))
    return top


_IF = ("if",)
_ELSE = ("else", "elif", "elsif", "else if")
_LOOPS = ("for", "range", "with", "define", "block", "macro", "call", "filter", "raw", "set")
_ENDS = ("end", "endif", "endfor", "endmacro", "endcall", "endfilter", "endraw", "endblock")


def _steers(does: str, found: re.Match[str]) -> bool:
    if does in (*_IF, *_ELSE, *_ENDS):
        return True
    if found["go"]:
        return does in ("range", "with", "define", "block")
    return does in _LOOPS and not (does == "set" and "=" in found["says"])


def _stepped(does: str, condition: str, here: list[_Part], stack: list[_Open]) -> list[_Part]:
    """Where the text behind a directive belongs."""
    if does in _ENDS:
        if not stack:
            raise _Unpaired
        return stack.pop().around
    if does in _ELSE:
        if not stack:
            raise _Unpaired
        if stack[-1].word not in _IF:
            return here  # of a loop that has nothing to go through: both are taken
        stack[-1].part.branches.append((condition, []))
        return stack[-1].part.branches[-1][1]
    if len(stack) > _DEEPEST:
        raise _Unpaired
    part = _Part()
    here.append(part)
    stack.append(_Open(does, part, here))
    if does in _IF:
        part.branches.append((condition, []))
    else:
        part.branches.append(("", []))
    return part.branches[-1][1]


def _conditions(parts: Sequence[_Part]) -> Iterator[str]:
    for part in parts:
        for condition, inside in part.branches:
            if condition:
                yield _positive(condition)[0]
            yield from _conditions(inside)


def _positive(condition: str) -> tuple[str, bool]:
    """The condition without its `not`, and what it comes to where that holds."""
    told = " ".join(condition.split())
    for negation in ("not ", "!"):
        if told.startswith(negation) and " and " not in told and " or " not in told and "&&" not in told:
            return told.removeprefix(negation).strip(), False
    return told, True


def _assignments(conditions: Sequence[str]) -> Iterator[Mapping[str, bool]]:
    if len(conditions) <= _ALL:
        for values in itertools.product((True, False), repeat=len(conditions)):
            yield dict(zip(conditions, values, strict=True))
        return
    for most in (True, False):
        yield dict.fromkeys(conditions, most)
        for each in conditions:
            yield {**dict.fromkeys(conditions, most), each: not most}


def _chosen(parts: Sequence[_Part], decided: Mapping[str, bool]) -> Iterator[str]:
    for part in parts:
        yield part.text
        is_open = True
        for condition, inside in part.branches:
            name, wanted = _positive(condition)
            taken = is_open and (not condition or decided[name] is wanted)
            yield from _chosen(inside, decided) if taken else _lines(inside)
            is_open = is_open and not taken


def _lines(parts: Sequence[_Part]) -> Iterator[str]:
    """The ends of the parts' lines, and nothing else of them."""
    for part in parts:
        yield "\n" * part.text.count("\n")
        for _, inside in part.branches:
            yield from _lines(inside)
