"""Searching in texts that may have holes: with a regular expression as sed has it, within a bound of time."""

from __future__ import annotations

import re
from functools import lru_cache
from math import factorial

from nodeworthy.boot.text import Hole, Piece, Text

# Texts with holes as plain strings and back: each hole is one character that no script writes.

_FIRST = 0xE000
_MOST = 0x1800


class Mask:
    def __init__(self) -> None:
        self._holes: list[Hole] = []
        self._at: dict[Hole, str] = {}

    def on(self, text: Text) -> str | None:
        """None where there are more holes than can be told apart."""
        if text.known is not None:
            return text.known
        written = [piece if isinstance(piece, str) else self._character(piece) for piece in text.pieces]
        return "".join(written) if len(self._holes) < _MOST else None

    def off(self, written: str) -> Text:
        if not self._holes:
            return Text.of(written)
        pieces: list[Piece] = []
        for letter in written:
            index = ord(letter) - _FIRST
            pieces.append(self._holes[index] if 0 <= index < len(self._holes) else letter)
        return Text.of(*pieces)

    def filled(self, written: str, filler: str) -> str | None:
        """The text with every hole filled by this character; None where there is no hole."""
        last = chr(_FIRST + len(self._holes))
        if not self._holes or not any("\ue000" <= letter < last for letter in written):
            return None
        return "".join(filler if "\ue000" <= letter < last else letter for letter in written)

    def _character(self, hole: Hole) -> str:
        if hole not in self._at:
            self._at[hole] = chr(_FIRST + len(self._holes))
            self._holes.append(hole)
        return self._at[hole]


# A regular expression as sed has it (basic or extended), in Python's words.

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
    "print": " -~",
    "graph": "!-~",
}
_SAME = {"n": "\\n", "t": "\\t", "s": "\\s", "S": "\\S", "w": "\\w", "W": "\\W", "b": "\\b", "B": "\\B"}
_EDGES = {"<": r"\b(?=\w)", ">": r"\b(?<=\w)", "`": r"\A", "'": r"\Z"}
# With a backslash in a basic expression what they are without one in an extended one.
_OPERATORS = frozenset("(){}|+?")
_LONGEST = 2000
_REPEATS = frozenset("*+?{")
_BEGINS = frozenset("(|")
_ENDS = frozenset(")|")


class TooHard(Exception):
    """More than is read here: what becomes of the file is not known."""


class Regex:
    __slots__ = ("pattern", "repeats")

    def __init__(self, pattern: re.Pattern[str], repeats: int) -> None:
        self.pattern = pattern
        # How many parts of it may have any length: they decide how long a search may take.
        self.repeats = repeats


@lru_cache(maxsize=512)
def regex(written: str, *, extended: bool, ignores_case: bool = False) -> Regex:
    if not written or len(written) > _LONGEST:
        raise TooHard("the expression used last, or one that nobody can read")
    if any("\ue000" <= letter <= "\uf8ff" for letter in written):
        raise TooHard("a hole")
    translated, repeats = _translated(written, extended=extended)
    try:
        return Regex(re.compile(translated, re.DOTALL | (re.IGNORECASE if ignores_case else 0)), repeats)
    except (re.error, OverflowError, RecursionError) as error:
        raise TooHard(str(error)) from error


def _translated(written: str, *, extended: bool) -> tuple[str, int]:
    parts: list[str] = []
    repeats = index = 0
    while index < len(written):
        token, index = _token(written, index)
        part = _part(token, written, index, parts, extended=extended)
        if part in _REPEATS or part[:1] == "{":
            repeats += part in "*+"
            _refuse_nested(parts)
        elif part in _ENDS and (not parts or parts[-1] in _BEGINS):
            raise TooHard("an empty part")
        parts.append(part)
    if parts[-1] == "|":
        raise TooHard("an empty part")
    return "".join(parts), repeats


def _refuse_nested(parts: list[str]) -> None:
    """A repeat of what itself repeats may take for ever."""
    if not parts or parts[-1] in _REPEATS or parts[-1] == ")" or parts[-1].endswith("}"):
        raise TooHard("a repeated group")


def _token(written: str, index: int) -> tuple[str, int]:
    """A character, an escaped one, or a whole bracket expression."""
    if written[index] == "\\":
        if index + 1 == len(written):
            raise TooHard("a backslash at the end")
        return written[index : index + 2], index + 2
    if written[index] != "[":
        return written[index], index + 1
    end = index + 1 + written.startswith("^", index + 1)
    end += written.startswith("]", end)
    while end < len(written) and written[end] != "]":
        closing = written.find(":]", end) if written.startswith("[:", end) else -1
        end = closing + 2 if closing > 0 else end + 1
    if end >= len(written):
        raise TooHard("an open bracket")
    return written[index : end + 1], end + 1


def _part(token: str, written: str, end: int, before: list[str], *, extended: bool) -> str:
    if token[0] == "[":
        return _bracket(token)
    escaped, letter = len(token) == 2, token[-1]
    if letter in _OPERATORS:
        return letter if escaped != extended else re.escape(letter)
    if escaped:
        return _escaped(letter)
    at_start = not before or before[-1] in {"(", "|"}
    if letter == "^":
        return "^" if extended or at_start else r"\^"
    if letter == "$":
        at_end = end == len(written) or written.startswith(("\\)", "\\|"), end)
        return r"\Z" if extended or at_end else r"\$"
    if letter == "*":
        return r"\*" if at_start or before[-1] == "^" else "*"
    return "." if letter == "." else _number_or(letter, before)


def _number_or(letter: str, before: list[str]) -> str:
    """Inside of `{2,3}` digits and commas are themselves either way."""
    return letter if letter.isalnum() or (letter == "," and before) else re.escape(letter)


def _escaped(letter: str) -> str:
    if letter.isdigit():
        raise TooHard("a group that is matched again")
    known = _SAME.get(letter) or _EDGES.get(letter)
    if known is None and letter.isalpha():
        raise TooHard(f"\\{letter}")
    return known or re.escape(letter)


def _bracket(token: str) -> str:
    body = token[1:-1]
    negated = body.startswith("^")
    parts: list[str] = []
    rest = body[1:] if negated else body
    while rest:
        if rest.startswith("[:"):
            name, _, rest = rest[2:].partition(":]")
            if name not in _CLASSES:
                raise TooHard(f"[:{name}:]")
            parts.append(_CLASSES[name])
        elif rest[:2] in {"\\n", "\\t"}:
            parts.append(rest[:2])
            rest = rest[2:]
        else:
            parts.append("-" if rest[0] == "-" and parts and len(rest) > 1 else re.escape(rest[0]))
            rest = rest[1:]
    return f"[{'^' if negated else ''}{''.join(parts)}]"


# Searching in lines that may have holes, within a bound of time.

# Steps of a search that backtracks as badly as it can; more are not tried.
_MOST_STEPS = 3_000_000
_PROBES = "x1"


class Search:
    """Raises TooHard where what stands in a hole would matter, or where it may take too long."""

    def __init__(self, mask: Mask) -> None:
        self.mask = mask
        self.steps = 0.0

    def span(self, regex: Regex, text: str, start: int = 0) -> tuple[int, int] | None:
        self._spend(regex, len(text) - start)
        found = regex.pattern.search(text, start)
        span = found.span() if found else None
        # Whatever fills a hole, the same must be found.
        for probe in _PROBES:
            filled = self.mask.filled(text, probe)
            if filled is None:
                return span
            again = regex.pattern.search(filled, start)
            if (again.span() if again else None) != span:
                raise TooHard("it depends on what stands in a hole")
        return span

    def _spend(self, regex: Regex, length: int) -> None:
        power = min(regex.repeats + 1, 8)
        self.steps += 20 + length**power / factorial(power)
        if self.steps > _MOST_STEPS:
            raise TooHard("it may take too long")
