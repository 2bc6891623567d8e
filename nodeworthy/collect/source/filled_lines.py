"""The lines of a file as a template leaves them: with holes where it fills something in."""

from __future__ import annotations

import re

from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.fillings import Fillings
from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_WHY = "a template fills it in"
# What only decides whether lines are there; of the distribution's own beginning the reader knows the version.
_DIRECTIVE = pattern(r"\{\{-?\s*(?:if|else|end|range|with|define|/\*|-?\s*template\s+\"base\")")
# A value that is filled in whole, and may be anything; of these keys the kind of the value matters.
_VALUE = pattern(r"(?P<key>[\w.\"'-]+)\s*[=:]\s*$")
_SHELLS = pattern(r"\$([A-Z][A-Z0-9_]{0,63})\b")
_MATTERS = ("version", "imports", "capabilities")


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "${" in text


def for_envsubst(text: str) -> str:
    """With its variables as a template of Terraform has them: containerd itself fills in none, so that in a file of its
    own they can only be somebody else's to fill in."""
    return text if is_template(text) else _SHELLS.sub(r"${\1}", text)


def hide_fillings(text: str) -> tuple[Fillings, str]:
    fillings = Fillings(jinja="{{" in text or "{%" in text)
    return fillings, fillings.hide(text)


def without_fillings(text: str) -> str:
    """With a plain word for whatever a template fills in."""
    return re.sub("[\ue000-\uf8ff]+", "x", hide_fillings(text)[1]) if is_template(text) else text


def content_of(text: str, shown: str, *, quotes_values: bool, has_tables: bool = False) -> Content:
    """Of a file that `has_tables` a line that is filled in whole belongs to the table above it."""
    fillings, told = hide_fillings(text)
    lines: list[Line] = []
    is_below_a_table = False
    for number, row in enumerate(told.splitlines(), 1):
        made = _row(fillings.text(row), quotes_values=quotes_values, adds_lines=is_below_a_table)
        is_below_a_table = is_below_a_table or (has_tables and row.lstrip().startswith("["))
        lines.append(Line(made, Place(shown, number, 1)))
    return Content(tuple(lines))


def _row(text: Text, *, quotes_values: bool, adds_lines: bool) -> Text:
    """Whose template it is, nobody says. What is filled in below a table adds lines to it, and changes none above."""
    if not text.holes:
        return text
    pieces: list[Piece] = [Hole(each.shown, _WHY) if isinstance(each, Hole) else each for each in text.pieces]
    if not quotes_values:
        return Text.of(*pieces)
    if _stands_alone(pieces) or (adds_lines and _is_filled_in_whole(pieces)):
        return Text.of("# ", *pieces)
    if len(pieces) > 1 and isinstance(pieces[1], Hole) and _is_a_whole_value(pieces):
        return Text.of(pieces[0], '"', pieces[1], '"', *pieces[2:])
    return Text.of(*pieces)


def _stands_alone(pieces: list[Piece]) -> bool:
    told = [each for each in pieces if isinstance(each, Hole) or each.strip()]
    return all(isinstance(each, Hole) and _DIRECTIVE.match(each.shown) is not None for each in told)


def _is_filled_in_whole(pieces: list[Piece]) -> bool:
    told = [each for each in pieces if isinstance(each, Hole) or each.strip()]
    return len(told) == 1 and isinstance(told[0], Hole)


def _is_a_whole_value(pieces: list[Piece]) -> bool:
    key = _VALUE.search(pieces[0]) if isinstance(pieces[0], str) else None
    behind = "".join(each for each in pieces[2:] if isinstance(each, str)).strip()
    return key is not None and key["key"] not in _MATTERS and len(pieces) <= 3 and behind in ("", ",")
