"""The commands of sed, and what a substitution puts in place of what it finds."""

from __future__ import annotations

from nodeworthy.boot.commands.sed_regex import Regex, TooHard
from nodeworthy.records import dataclass

CHARACTERS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


@dataclass(frozen=True, slots=True)
class Address:
    # Exactly one of them; the last line is line zero.
    line: int | None = None
    regex: Regex | None = None


@dataclass(frozen=True, slots=True)
class Substitutes:
    regex: Regex
    # Texts and numbers of groups; group zero is all that was found.
    replacement: tuple[str | int, ...]
    everywhere: bool = False
    nth: int = 1
    prints: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    first: Address | None = None
    last: Address | None = None
    negated: bool = False
    text: str = ""
    substitutes: Substitutes | None = None
    body: tuple[Command, ...] = ()


def replacement_of(written: str, found: Regex) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    letters = iter(written)
    for letter in letters:
        if letter == "&":
            parts.append(0)
        elif letter != "\\":
            parts.append(letter)
        else:
            parts.append(_escaped(next(letters, ""), found))
    return tuple(parts)


def _escaped(letter: str, found: Regex) -> str | int:
    if letter.isdigit():
        if int(letter) > found.pattern.groups:
            raise TooHard("a group that is not there")
        return int(letter)
    if letter and letter in "ULEulcdox":
        raise TooHard("upper and lower case, or a code")
    return CHARACTERS.get(letter, letter)
