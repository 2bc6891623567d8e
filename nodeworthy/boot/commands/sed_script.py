"""What a sed expression says: its commands, each with the lines that it is for."""

from __future__ import annotations

from functools import lru_cache

from nodeworthy.boot.commands.searching import Regex, TooHard, regex
from nodeworthy.records import dataclass

# The commands of sed, and what a substitution puts in place of what it finds.

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


_TEXTS = frozenset("aic")
_PLAIN = frozenset("dpq=")
_BLANK = " \t"
_ENDS = frozenset(" \t;\n}")


@lru_cache(maxsize=256)
def commands_of(script: str, *, extended: bool) -> tuple[Command, ...]:
    """Raises TooHard."""
    reader = _Reader(script, extended=extended)
    commands = reader.commands()
    if reader.index < len(script):
        raise TooHard(script[reader.index :])
    return commands


class _Reader:
    def __init__(self, script: str, *, extended: bool) -> None:
        self.script = script
        self.extended = extended
        self.index = 0
        self.depth = 0

    @property
    def here(self) -> str:
        return self.script[self.index : self.index + 1]

    def commands(self) -> tuple[Command, ...]:
        found: list[Command] = []
        while True:
            self.skip(" \t;\n")
            if not self.here or self.here == "}":
                return tuple(found)
            if self.here == "#":
                self.to_end_of_line()
                continue
            found.append(self.command())

    def command(self) -> Command:
        first = self.address()
        last = None
        if self.depth and self.here == ",":
            raise TooHard("a range in a group")
        self.skip(_BLANK)
        if first and self.here == ",":
            self.index += 1
            self.skip(_BLANK)
            last = self.address()
            if last is None:
                raise TooHard("a range")
        self.skip(_BLANK)
        negated = self.here == "!"
        self.skip("! \t")
        return self.named(self.take(), first, last, negated=negated)

    def named(self, name: str, first: Address | None, last: Address | None, *, negated: bool) -> Command:
        if name == "{":
            return Command(name, first, last, negated, body=self.group())
        if name == "s":
            return Command(name, first, last, negated, substitutes=self.substitution())
        if name in _TEXTS:
            return Command(name, first, last, negated, text=self.text())
        if name in _PLAIN and name != "=":
            self.skip(_BLANK)
            if self.here and self.here not in _ENDS:
                raise TooHard(name)
            return Command(name, first, last, negated)
        raise TooHard(name)

    def group(self) -> tuple[Command, ...]:
        self.depth += 1
        if self.depth > 8:
            raise TooHard("groups in groups")
        body = self.commands()
        if self.take() != "}":
            raise TooHard("an open group")
        self.depth -= 1
        return body

    def address(self) -> Address | None:
        if self.here.isascii() and self.here.isdigit():
            start = self.index
            self.skip("0123456789")
            line = int(self.script[start : self.index][:9])
            if line == 0 or self.here == "~":
                raise TooHard("line 0, or steps")
            return Address(line)
        if self.here == "$":
            self.index += 1
            return Address(0)
        if self.here not in {"/", "\\"}:
            return None
        self.index += self.here == "\\"
        written = self.until(self.take())
        ignores = self.here == "I"
        self.index += ignores
        return Address(regex=regex(written, extended=self.extended, ignores_case=ignores))

    def substitution(self) -> Substitutes:
        delimiter = self.take()
        if delimiter in {"", "\n", "\\"}:
            raise TooHard("s without an expression")
        written, replacement = self.until(delimiter), self.until(delimiter, is_regex=False)
        everywhere, nth, prints, ignores = False, 1, False, False
        while self.here and self.here not in _ENDS:
            flag = self.take()
            everywhere |= flag == "g"
            prints |= flag == "p"
            ignores |= flag in "iI"
            if flag in "123456789":
                nth = int(flag)
            elif flag not in "gpiI":
                raise TooHard(f"s with {flag}")
        found = regex(written, extended=self.extended, ignores_case=ignores)
        return Substitutes(found, replacement_of(replacement, found), everywhere, nth, prints)

    def text(self) -> str:
        """What `a`, `i` and `c` write: to the end of the line, or on after a backslash."""
        self.skip(_BLANK)
        if self.here == "\\":
            self.index += 1
            start = self.index
            self.skip(_BLANK)
            # Blanks between the backslash and text on the same line belong to the text.
            self.index = self.index + 1 if self.here == "\n" else start
        elif self.here in {"", "\n"}:
            raise TooHard("no text")
        return self.to_end_of_line(escapes=True)

    def to_end_of_line(self, *, escapes: bool = False) -> str:
        read: list[str] = []
        while self.here and self.here != "\n":
            letter = self.take()
            if escapes and letter == "\\":
                following = self.take()
                letter = CHARACTERS.get(following, following)
            read.append(letter)
        return "".join(read)

    def until(self, delimiter: str, *, is_regex: bool = True) -> str:
        """Reads to the next delimiter. One behind a backslash, or within brackets of an expression, is an ordinary
        letter."""
        read: list[str] = []
        bracket = False
        while self.here and (self.here != delimiter or bracket):
            letter = self.take()
            if letter == "\\" and not bracket:
                following = self.take()
                read.append(following if following == delimiter else letter + following)
                continue
            if is_regex:
                bracket = _in_bracket(letter, read, bracket=bracket)
            read.append(letter)
        if self.take() != delimiter:
            raise TooHard("an open expression")
        return "".join(read)

    def take(self) -> str:
        letter = self.here
        self.index += 1
        return letter

    def skip(self, letters: str) -> None:
        while self.here and self.here in letters:
            self.index += 1


def _in_bracket(letter: str, before: list[str], *, bracket: bool) -> bool:
    if not bracket:
        return letter == "["
    is_first = before[-1] == "[" or before[-2:] == ["[", "^"]
    return letter != "]" or is_first or (before[-1] == ":" and "[:" in "".join(before[-8:]))
