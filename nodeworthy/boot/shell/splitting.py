"""Values that fall apart at their blanks, and those that are put together again; what IFS says of both."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.word_syntax import Literal, Parameter
from nodeworthy.boot.text import EMPTY, Hole, Piece, Text
from nodeworthy.patterns import pattern

_BLANKS = " \t\n"
_BRACES = pattern(r"\{([^{}\s]*)\}")


def separators(state: State) -> str | None:
    """The characters at which an unquoted value falls apart; None where they are not known."""
    value = state.variables.get("IFS")
    if value is None:
        return _BLANKS
    return value.known if isinstance(value, Text) else None


def first_separator(state: State, part: Parameter) -> Piece:
    """What stands between the elements of `"$*"`; those of `"$@"` are joined by blanks."""
    if "*" not in (part.name, part.index):
        return " "
    known = separators(state)
    return known[:1] if known is not None else Hole("$IFS", "IFS is not known")


def joined_by(separator: Piece, texts: Iterable[Text]) -> Text:
    pieces: list[Piece] = []
    for index, text in enumerate(texts):
        pieces += [separator, *text.pieces] if index else text.pieces
    return Text.of(*pieces)


def split(text: Text, by: str | None) -> list[Text]:
    """An unquoted value falls apart."""
    if by is None:
        return [Text((Hole(text.shown(), text.why or "where it falls apart is not known: IFS is not"),))]
    known = text.known
    if known is not None and by == _BLANKS:
        return [Text((each,)) for each in known.split()]
    if not any(isinstance(piece, str) and any(c in piece for c in by) for piece in text.pieces):
        return [text] if text else []
    pattern = _pattern(by)
    fields: list[list[Piece]] = [[]]
    for piece in text.pieces:
        if isinstance(piece, Hole):
            fields[-1].append(piece)
            continue
        first, *others = pattern.split(piece)
        fields[-1].append(first)
        fields += [[each] for each in others]
    return [Text.of(*field) for field in fields if any(field)]


def _pattern(by: str) -> re.Pattern[str]:
    """Blanks count as one, anything else counts each time."""
    blanks = re.escape("".join(each for each in by if each in _BLANKS))
    others = re.escape("".join(each for each in by if each not in _BLANKS))
    if not others:
        return re.compile(f"[{blanks}]+")
    return re.compile(f"[{blanks}]*[{others}][{blanks}]*|[{blanks}]+" if blanks else f"[{others}]")


def braces(part: Literal) -> list[Text]:
    """`{a,b}` outside of quotes is both."""
    if part.quoted or not 0 < part.text.count("{") <= 4:
        return [Text((part.text,)) if part.text else EMPTY]
    found = _BRACES.search(part.text)
    if found is None:
        return [Text((part.text,))]
    choices = _choices(found[1])
    if not choices:
        return [Text((part.text,))]
    before, after = part.text[: found.start()], part.text[found.end() :]
    return [text for choice in choices for text in braces(Literal(f"{before}{choice}{after}"))]


def _choices(inside: str) -> list[str]:
    first, dots, last = inside.partition("..")
    if dots and first.isdigit() and last.isdigit() and abs(int(last) - int(first)) <= 100:
        step = 1 if int(last) >= int(first) else -1
        return [str(number) for number in range(int(first), int(last) + step, step)]
    return inside.split(",") if "," in inside else []
