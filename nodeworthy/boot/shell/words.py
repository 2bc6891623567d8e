"""What a word becomes when the shell expands it, as far as that is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import lru_cache

from nodeworthy.boot.content import Content
from nodeworthy.boot.shell.arithmetic import reckon
from nodeworthy.boot.shell.state import ELEMENTS, LETTERS, PIECES, WHY, State, Uncounted, letters, missing
from nodeworthy.boot.shell.syntax import Arithmetic, Filled, Literal, Parameter, Substitution, Word, WordPart
from nodeworthy.boot.text import EMPTY, Hole, Piece, Text, cut
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# `${NAME:-word}` and its kin: what a shell makes of a value that is known.

_SUBSTRING = pattern(r"\s*(-?\d+)\s*(?::\s*(-?\d+))?\s*")


def apply_operator(operator: str, value: str, argument: str) -> str | None:
    """The value after an operator that changes it; None where that is not understood."""
    apply = _APPLIED.get(operator)
    return apply(value, argument) if apply is not None else None


def _without_prefix(value: str, pattern: str, *, longest: bool) -> str:
    ends = range(len(value), -1, -1) if longest else range(len(value) + 1)
    match = glob(pattern)
    return next((value[end:] for end in ends if match(value[:end])), value)


def _without_suffix(value: str, pattern: str, *, longest: bool) -> str:
    starts = range(len(value) + 1) if longest else range(len(value), -1, -1)
    match = glob(pattern)
    return next((value[:start] for start in starts if match(value[start:])), value)


def _substring(value: str, argument: str) -> str | None:
    found = _SUBSTRING.fullmatch(argument)
    if found is None:
        return None
    start, length = int(found[1]), found[2]
    start = max(0, len(value) + start) if start < 0 else start
    if length is None:
        return value[start:]
    return value[start : start + int(length)] if int(length) >= 0 else value[start : int(length)]


def _replaced(value: str, argument: str, *, every: bool) -> str | None:
    pattern, _, by = argument.partition("/")
    if any(sign in pattern for sign in "*?["):
        return None
    return value.replace(pattern, by, -1 if every else 1) if pattern else value


def glob(pattern: str) -> Callable[[str], bool]:
    """Whether a text is what a shell's pattern says."""
    compiled = _compiled(pattern)
    return lambda text: compiled.match(text) is not None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern.replace("[^", "[!")))


_APPLIED: dict[str, Callable[[str, str], str | None]] = {
    "#": lambda value, pattern: _without_prefix(value, pattern, longest=False),
    "##": lambda value, pattern: _without_prefix(value, pattern, longest=True),
    "%": lambda value, pattern: _without_suffix(value, pattern, longest=False),
    "%%": lambda value, pattern: _without_suffix(value, pattern, longest=True),
    "/": lambda value, argument: _replaced(value, argument, every=False),
    "//": lambda value, argument: _replaced(value, argument, every=True),
    ":": _substring,
    ",,": lambda value, _: value.lower(),
    "^^": lambda value, _: value.upper(),
    ",": lambda value, _: value[:1].lower() + value[1:],
    "^": lambda value, _: value[:1].upper() + value[1:],
    "length": lambda value, _: str(len(value)),
}


# Values that fall apart at their blanks, and those that are put together again; what IFS says of both.

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


def join_with(separator: Piece, texts: Iterable[Text]) -> Text:
    pieces: list[Piece] = []
    for index, text in enumerate(texts):
        pieces += [separator, *text.pieces] if index else text.pieces
    return Text.of(*pieces)


def split(text: Text, by: str | None) -> list[Text]:
    """The fields into which an unquoted value is split by IFS."""
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


# Runs the body of `$(…)` and says what it prints; None where that is not known.
Substitute = Callable[[Substitution], "Content | None"]

_AT_RUN_TIME = {"?", "$", "!", "RANDOM", "SECONDS", "LINENO", "HOSTNAME", "PPID", "0", "BASH_SOURCE", "PWD", "-", "_"}


# As many words as there are files.
_GLOB = pattern(r"[*?]|\[[^\]]+\]")


@dataclass(frozen=True)
class Expander:
    state: State
    substitute: Substitute

    def text(self, word: Word) -> Text:
        """The word as one text, as in an assignment."""
        if word.plain is not None:
            return word.plain
        if len(word.parts) == 1:
            return self._only(word, word.parts[0])
        pieces: list[Piece] = []
        length = 0
        for part in word.parts:
            if isinstance(part, Literal):
                pieces.append(part.text)
                length += len(part.text)
            else:
                found = self._pieces(part)
                pieces += found
                length += letters(found)
            if length > LETTERS or len(pieces) > 2 * PIECES:
                return Text((Hole(cut(word.raw), WHY),))
        return Text.of(*pieces)

    def _only(self, word: Word, part: WordPart) -> Text:
        if isinstance(part, Literal):
            return Text((part.text,)) if part.text else EMPTY
        text = self._parameter(part) if isinstance(part, Parameter) else Text.of(*self._pieces(part))
        too_long = letters(text.pieces) > LETTERS or len(text.pieces) > 2 * PIECES
        return Text((Hole(cut(word.raw), WHY),)) if too_long else text

    def fields(self, words: Iterable[Word]) -> list[Text]:
        """The words as the arguments of a command: split where the shell splits them."""
        arguments: list[Text] = []
        length = 0
        for word in words:
            # Most words are plain, and a script has many.
            if word.plain is not None:
                arguments.append(word.plain)
            else:
                found = self._fields(word)
                arguments += found
                is_short = len(arguments) <= ELEMENTS
                length += sum([_length(each) for each in found]) if is_short else 0
                if length > LETTERS or not is_short:
                    return [*arguments[:1], Text((Hole("…", WHY),))]
        return arguments

    def elements(self, words: Iterable[Word]) -> tuple[Text, ...]:
        """The words as the elements of an array."""
        every = list(words)
        found = self.fields(every)
        is_counted = not any(text.holes for text in found) or not any(self._may_be_many(word) for word in every)
        return tuple(found) if is_counted and not any(map(_is_glob, every)) else Uncounted(found)

    def _may_be_many(self, word: Word) -> bool:
        """Whether what is not known of it may fall apart."""
        for part in word.parts:
            if isinstance(part, Filled) or (isinstance(part, (Parameter, Substitution)) and not part.quoted):
                return True
            if isinstance(part, Parameter) and _is_all(part):
                return isinstance(self.state.value(part.name), Uncounted)
        return False

    def _fields(self, word: Word) -> list[Text]:
        if len(word.parts) == 1:
            only = word.parts[0]
            if isinstance(only, Literal):
                return braces(only)
            if isinstance(only, Parameter) and _is_all(only) and not (only.quoted and "*" in (only.name, only.index)):
                return self._elements(only)
            if isinstance(only, (Parameter, Substitution)) and not only.quoted:
                return split(self.text(word), separators(self.state))
        return [self.text(word)]

    def _elements(self, part: Parameter) -> list[Text]:
        value = self.state.value(part.name)
        if not isinstance(value, tuple) or part.operator in ("length", "!", "+", ":+"):
            return [self._parameter(part)]
        if not part.operator or (part.operator in _DEFAULTS and value):
            return list(value)
        if part.operator in _DEFAULTS:
            return [self._defaulted(part, None)]
        if part.operator == ":":
            return self._slice(value, part)
        return [self._changed(each, part) for each in value]

    def _slice(self, value: tuple[Text, ...], part: Parameter) -> list[Text]:
        """`"${@:2}"`, where the first argument is number one; `"${ARRAY[@]:1:2}"`."""
        start, _, length = (self.text(part.argument).string if part.argument is not None else "").partition(":")
        numbers = [reckon(start, self.state), reckon(length, self.state) if length else len(value)]
        if numbers[0] is None or numbers[1] is None or min(numbers[0], numbers[1]) < (part.name in ("@", "*")):
            return [_at_run_time(part)]
        if isinstance(value, Uncounted):
            return [_at_run_time(part)]
        first = numbers[0] - (part.name in ("@", "*"))
        return list(value[first : first + numbers[1]])

    def _pieces(self, part: WordPart) -> tuple[Piece, ...]:
        if isinstance(part, Literal):
            return (part.text,)
        if isinstance(part, Parameter):
            return self._parameter(part).pieces
        if isinstance(part, Substitution):
            return self._substituted(part)
        if isinstance(part, Filled):
            return (Hole(part.raw, "the template fills it in"),)
        return self._sum(part)

    def _sum(self, part: Arithmetic) -> tuple[Piece, ...]:
        value = reckon(part.raw.removeprefix("$((").removesuffix("))"), self.state)
        return (str(value),) if value is not None else (Hole(part.raw, f"{part.raw} is reckoned on the node"),)

    def _substituted(self, part: Substitution) -> tuple[Piece, ...]:
        if part.direction:
            self.substitute(part)
            return (Hole(part.raw, "it is a pipe to another program"),)
        content = self.substitute(part)
        if content is None:
            return (Hole(part.raw, f"{cut(part.raw)} is known only on the node"),)
        pieces = list(content.text.pieces)
        if pieces and isinstance(pieces[-1], str):
            pieces[-1] = pieces[-1].rstrip("\n")
        return tuple(pieces)

    def _parameter(self, part: Parameter) -> Text:
        if part.operator == "!" or part.name in _AT_RUN_TIME:
            return _at_run_time(part)
        held = self.state.value(part.name)
        if isinstance(held, tuple) and _is_all(part) and part.operator not in _TAKES_ALL:
            return join_with(first_separator(self.state, part), self._elements(part))
        value = self._element(held, part)
        if part.operator in _DEFAULTS:
            return self._defaulted(part, value)
        if value is None:
            return EMPTY if part.name.isdigit() or part.name in ("@", "*") else missing(part.name, self.state)
        return self._changed(value, part) if part.operator else value

    def _changed(self, value: Text, part: Parameter) -> Text:
        argument = self.text(part.argument) if part.argument is not None else EMPTY
        if value.known is not None and argument.known is not None:
            changed = apply_operator(part.operator, value.known, argument.known)
            if changed is not None:
                return Text.of(changed)
        return Text((Hole(part.raw, value.why or argument.why or f"{part.raw} is not read"),))

    def _element(self, value: Text | tuple[Text, ...] | None, part: Parameter) -> Text | None:
        """The element of an array that is meant, or all of them in one text."""
        if not isinstance(value, tuple):
            return value
        is_counted = not isinstance(value, Uncounted)
        if part.operator == "length" and _is_all(part):
            return Text.of("x" * len(value)) if is_counted else _at_run_time(part)
        if _is_all(part):
            return join_with(first_separator(self.state, part), value)
        index = reckon(part.index, self.state) if part.index is not None else 0
        if index is None or (index != 0 and not is_counted):
            return _at_run_time(part)
        return value[index] if -len(value) <= index < len(value) else None

    def _defaulted(self, part: Parameter, value: Text | None) -> Text:
        argument = self.text(part.argument) if part.argument is not None else EMPTY
        empty = value is None or (part.operator.startswith(":") and value.known == "")
        if part.operator in ("+", ":+"):
            return EMPTY if empty else argument
        if not empty and value is not None:
            return value
        if part.operator in ("?", ":?"):
            return missing(part.name, self.state)
        if value is None and self.state.sourced:
            return missing(part.name, self.state)
        if part.operator in ("=", ":="):
            self.state.set(part.name, argument)
        return argument


_DEFAULTS = frozenset(("-", ":-", "=", ":=", "+", ":+", "?", ":?"))
# Of an array, what asks for no change of its elements.
_TAKES_ALL = _DEFAULTS | {"", "length"}


def _length(text: Text) -> int:
    """In letters; a hole alone, of which there may be as many as there are arguments, has none."""
    if text.known is not None:
        return len(text.known)
    return letters(text.pieces) if len(text.pieces) > 1 else 0


def _is_all(part: Parameter) -> bool:
    return part.name in ("@", "*") or part.index in ("@", "*")


def _is_glob(word: Word) -> bool:
    return any(isinstance(part, Literal) and not part.quoted and _GLOB.search(part.text) for part in word.parts)


def _at_run_time(part: Parameter) -> Text:
    return Text((Hole(part.raw, f"{part.raw} is known only when the script runs"),))
