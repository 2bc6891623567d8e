"""Takes words apart: literals, parameters, substitutions, and what a template fills in."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import Arithmetic, Filled, Literal, Parameter, Statement, Substitution, Word, WordPart
from nodeworthy.boot.shell.templates import DIRECTIVE, FILLED, template_text
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.patterns import pattern

# Parts of a word that stand beside each other.


def join_parts(parts: list[WordPart]) -> tuple[WordPart, ...]:
    """Neighbours that are both literal, quoted alike, are one."""
    result: list[WordPart] = []
    run: list[Literal] = []
    for part in parts:
        if run and not (isinstance(part, Literal) and part.quoted is run[0].quoted):
            result.append(_one(run))
            run = []
        if isinstance(part, Literal):
            run.append(part)
        else:
            result.append(part)
    if run:
        result.append(_one(run))
    return tuple(result)


def _one(run: list[Literal]) -> Literal:
    return run[0] if len(run) == 1 else Literal("".join([each.text for each in run]), run[0].quoted)


# What `$'…'` means.

_ESCAPE = pattern(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(.)|(.))", re.DOTALL)
_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_KNOWN = frozenset("\\'\"?")


def ansi(text: str) -> str:
    return _ESCAPE.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    octal, hexadecimal, short, long, control, named = found.groups()
    if octal:
        return chr(int(octal, 8) & 0xFF)
    code = hexadecimal or short or long
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else "\ufffd"
    if control:
        return chr(ord(control) & 0x1F)
    return _NAMED.get(named) or (named if named in _KNOWN else found.group())


# `${…}`: a name, and what is done with its value.

_EXPANSION = pattern(
    r"(?P<before>[#!]?)(?P<name>[A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[(?P<index>(?:[^\]\[]|\[[^\]]*\])*)\])?", re.ASCII
)
_OPERATOR = pattern(r":[-=+?]|##?|%%?|//?|\^\^?|,,?|[-=+?:@]")


def parameter(pieces: Pieces, start: int, end: int, quoted: bool) -> Parameter:
    raw, text = pieces.source.shown(start, end), pieces.text
    found = _EXPANSION.match(text, start + 2, end - 1)
    if found is None:
        raise NotReadable
    name, before, behind = found["name"], found["before"], found.end()
    if before and behind == end - 1:
        return Parameter(name, raw, "length" if before == "#" else "!", None, found["index"], quoted)
    if before == "!":
        # `${!prefix*}`, `${!name:-word}`
        return Parameter(text[start + 3 : end - 1], raw, "!", None, None, quoted)
    if before:
        # `${#:-word}`: of the number of arguments.
        return _operated(pieces, Parameter("#", raw, quoted=quoted), start + 3, end - 1)
    return _operated(pieces, Parameter(name, raw, index=found["index"], quoted=quoted), behind, end - 1)


def _operated(pieces: Pieces, plain: Parameter, at: int, end: int) -> Parameter:
    if at == end:
        return plain
    operator = _OPERATOR.match(pieces.text, at, end)
    if operator is None:
        raise NotReadable
    start = operator.end()
    parts = pieces.deeper(start, end, plain.quoted)
    argument = Word(join_parts(parts), pieces.source.shown(start, end), pieces.source, start)
    return Parameter(plain.name, plain.raw, operator.group(), argument, plain.index, plain.quoted)


_SPECIAL = pattern(r"[\\'\"`$\ue000\ue002]|[<>]\(")
_UNQUOTED = pattern(
    r"\\(?:.|\Z)|'|\$['\"]|\"|`|\$\(\(|\$[({\[]|\$[A-Za-z_0-9@*#?$!-]|[<>]\(|\ue000(\d+)\ue001|\ue002.", re.DOTALL
)
_QUOTED = pattern(r"\\[\\`\"$\n]|`|\$\(\(|\$[({\[]|\$[A-Za-z_0-9@*#?$!-]|\ue000(\d+)\ue001|\ue002.")
_MARK = pattern(r"\ue000(\d+)\ue001|\ue002.")
_QUOTED_WHOLE = pattern(r"'[^'\ue000-\ue002]*'|\"[^\"\\`$\ue000-\ue002]*\"")
# Nobody says a longer one again.
_SHORT = 200
# No word that somebody wrote has more of them.
_MOST_PARTS = 2000
_MARKS = (FILLED, DIRECTIVE)
_NAME = pattern(r"[A-Za-z_][A-Za-z_0-9]*|.", re.DOTALL)
_BACKTICK_ESCAPE = pattern(r"\\([\\`$])")

# Crosses out what is no structure from one offset to another.
Commands = Callable[[Source, int, int], str]
ReadStatements = Callable[[Source, int, str], tuple[Statement, ...]]


@lru_cache(maxsize=4096)
def _alone(raw: str) -> tuple[tuple[Literal], Text | None] | None:
    """A word that stands for itself, and what the shell makes of it; scripts say the same ones over and over."""
    if _SPECIAL.search(raw) is None:
        parts = (Literal(raw),)
    elif len(raw) <= _SHORT and _QUOTED_WHOLE.fullmatch(raw) is not None:
        parts = (Literal(raw[1:-1], quoted=True),)
    else:
        return None
    return parts, _plain(parts)


def _plain(parts: tuple[WordPart, ...]) -> Text | None:
    only = parts[0] if len(parts) == 1 else None
    if not isinstance(only, Literal) or ("{" in only.text and not only.quoted):
        return None
    return Text((only.text,)) if only.text else EMPTY


class Pieces:
    """The words of a source; `statements` reads what stands in its substitutions."""

    def __init__(self, source: Source, statements: ReadStatements, commands: Commands) -> None:
        self.source, self.text = source, source.text
        self.statements = statements
        self.commands = commands

    def word(self, start: int, end: int) -> Word:
        raw, source = self.text[start:end], self.source
        alone = _alone(raw)
        if alone is not None and not (source.broken or source.origins):
            return Word(alone[0], raw, source, start, alone[1])
        parts = join_parts(self._quoted(start, end) or self.parts(start, end, _UNQUOTED, quoted=False))
        return Word(parts, source.shown(start, end), source, start, _plain(parts))

    def _quoted(self, start: int, end: int) -> list[WordPart]:
        """What stands in the double quotes that are all of a word; nothing for any other."""
        if self.text.startswith('"', start) and self.source.ends.get(start) == end:
            return [] if self.source.is_broken(start, end) else self.deeper(start + 1, end - 1, quoted=True)
        return []

    def parts(self, at: int, end: int, pattern: re.Pattern[str], quoted: bool) -> list[WordPart]:
        parts: list[WordPart] = []
        while (found := pattern.search(self.text, at, end)) is not None:
            if found.start() > at:
                parts.append(Literal(self.text[at : found.start()], quoted))
            at = self.part(found, end, quoted, parts)
            if len(parts) > _MOST_PARTS:
                raise NotReadable
        if at < end:
            parts.append(Literal(self.text[at:end], quoted))
        return parts

    def part(self, found: re.Match[str], end: int, quoted: bool, parts: list[WordPart]) -> int:
        """Adds what begins here; tells where it ends."""
        token, start = found.group(), found.start()
        if token[0] == "\\":
            if token != "\\\n":
                parts.append(Literal(token[1:], quoted=True))
            return found.end()
        if token[0] in _MARKS:
            parts.append(self._filled(found))
            return found.end()
        if token[0] == "$" and token[1] not in "({['\"":
            name = _NAME.match(self.text, start + 1, end)
            behind = name.end() if name else found.end()
            raw = self.text[start:behind]
            parts.append(Parameter(raw[1:], raw, quoted=quoted))
            return behind
        behind = self.source.ends.get(start, -1)
        if behind < 0 or behind > end or self.source.is_broken(start, start + 1):
            raise NotReadable
        self._nested(token, start, behind, quoted, parts)
        return behind

    def _nested(self, token: str, start: int, end: int, quoted: bool, parts: list[WordPart]) -> None:
        if token == "'":
            parts += self.literal(self.text[start + 1 : end - 1])
        elif token == "$'":
            parts += self.literal(ansi(self.text[start + 2 : end - 1]))
        elif token in ('"', '$"'):
            inside = self.deeper(start + len(token), end - 1, quoted=True)
            parts += inside or [Literal("", quoted=True)]
        elif token == "`":
            parts.append(self._backticks(start, end, quoted))
        elif token == "${":
            parts.append(parameter(self, start, end, quoted))
        elif start in self.source.insides:
            parts.append(self._substitution(start, end, quoted))
        else:
            parts.append(Arithmetic(self.source.shown(start, end), quoted))

    def deeper(self, start: int, end: int, quoted: bool) -> list[WordPart]:
        if self.source.depth >= DEEPEST:
            raise NotReadable
        self.source.depth += 1
        try:
            return self.parts(start, end, _QUOTED if quoted else _UNQUOTED, quoted)
        finally:
            self.source.depth -= 1

    def _substitution(self, start: int, end: int, quoted: bool) -> Substitution:
        base, inside = self.source.insides[start]
        self.source.read.add(start)
        direction = "" if self.text[start] == "$" else self.text[start]
        raw = self.source.shown(start, end)
        return Substitution(self.statements(self.source, base, inside), raw, quoted, direction)

    def _backticks(self, start: int, end: int, quoted: bool) -> Substitution:
        raw = self.source.shown(start, end)
        if self.source.depth >= DEEPEST:
            raise NotReadable
        if "\\" not in raw:
            inside = self.commands(self.source, start + 1, end - 1)
            return Substitution(self.statements(self.source, start + 1, inside), raw, quoted)
        text = _BACKTICK_ESCAPE.sub(r"\1", self.text[start + 1 : end - 1])
        inner = Source(text, *self.source.place(start + 1), self.source.depth + 1, self.source.filled)
        return Substitution(self.statements(inner, 0, self.commands(inner, 0, len(text))), raw, quoted)

    def literal(self, text: str) -> list[WordPart]:
        """What is quoted for the shell; a template fills it in all the same."""
        if _MARK.search(text) is None:
            return [Literal(text, quoted=True)]
        parts: list[WordPart] = []
        at = 0
        for found in _MARK.finditer(text):
            if found.start() > at:
                parts.append(Literal(text[at : found.start()], quoted=True))
            parts.append(self._filled(found))
            at = found.end()
        return [*parts, Literal(text[at:], quoted=True)] if at < len(text) else parts

    def _filled(self, found: re.Match[str]) -> Filled:
        if found[1]:
            return Filled(self.source.filled[int(found[1])])
        return Filled(template_text(found[0], ()))
