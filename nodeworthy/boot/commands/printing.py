"""echo and printf, as bash has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

from nodeworthy.boot.commands.call import SILENT, Call, Did, Handler, printed_content
from nodeworthy.boot.text import EMPTY, Hole, Piece, Text
from nodeworthy.patterns import pattern

# Backslashes as echo -e, printf and $'…' read them.

_PLAIN = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_QUOTES = {"'": "'", '"': '"', "?": "?"}
_CODES = r"\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}"
_ECHO = pattern(_CODES + r"|(?P<octal>0[0-7]{0,3})|.)", re.DOTALL)
_FORMAT = pattern(_CODES + r"|(?P<octal>[0-7]{1,3})|.)", re.DOTALL)
# printf's %b knows both spellings of an octal number.
_ARGUMENT = pattern(_CODES + r"|(?P<octal>0?[0-7]{1,3})|.)", re.DOTALL)
_STOP = "\\c"


def echo_escapes(text: Text) -> tuple[Text, bool]:
    """What `echo -e` makes of it, and whether `\\c` ended everything there."""
    return _until_stop(text, _ECHO, quotes=False)


def unescape_argument(text: Text) -> tuple[Text, bool]:
    """What `printf %b` makes of it, and whether `\\c` ended everything there."""
    return _until_stop(text, _ARGUMENT, quotes=False)


def unescape_format(text: str) -> str:
    return _FORMAT.sub(partial(_replaced, quotes=True), text) if "\\" in text else text


def _until_stop(text: Text, pattern: re.Pattern[str], *, quotes: bool) -> tuple[Text, bool]:
    pieces: list[Piece] = []
    for piece in text.pieces:
        if not isinstance(piece, str) or "\\" not in piece:
            pieces.append(piece)
            continue
        done = pattern.sub(partial(_replaced, quotes=quotes), piece)
        if _STOP in done and _stops(pattern, piece):
            return Text.of(*pieces, done[: done.index(_STOP)]), True
        pieces.append(done)
    return Text.of(*pieces), False


def _stops(pattern: re.Pattern[str], piece: str) -> bool:
    return any(found.group() == _STOP for found in pattern.finditer(piece))


def _replaced(found: re.Match[str], *, quotes: bool) -> str:
    code = found.group()[1:]
    if code[0] in "xuU" and len(code) > 1:
        return chr(int(code[1:], 16))
    if found["octal"]:
        return chr(int(found["octal"], 8) & 0xFF)
    if code == "\\":
        return "\\"
    return _PLAIN.get(code) or (_QUOTES.get(code) if quotes else None) or found.group()


_LINE_END = Text(("\n",))
_FLAG = pattern(r"-[neE]+")
_DIRECTIVE = pattern(r"%(?:%|([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(?:\((.*?)\)T|[hlLjzt]*([a-zA-Z])))", re.DOTALL)
_WHOLE_NUMBERS = frozenset("diuxXo")
_LARGEST = 0xFFFF_FFFF_FFFF_FFFF
_KINDS = _WHOLE_NUMBERS | frozenset("scq")


def echo(call: Call) -> Did:
    words = list(call.arguments[1:])
    ends, escapes = True, False
    while words and _FLAG.fullmatch(words[0].string):
        for letter in words.pop(0).string[1:]:
            ends = ends and letter != "n"
            escapes = {"e": True, "E": False}.get(letter, escapes)
    text = _spaced(words)
    if escapes:
        text, stopped = echo_escapes(text)
        ends = ends and not stopped
    return Did((), printed_content(call, text + _LINE_END if ends else text), True)


def printf(call: Call) -> Did:
    words = list(call.arguments[1:])
    if words and words[0].known == "-v":
        return SILENT
    if words and words[0].known == "--":
        words.pop(0)
    return Did(
        output=printed_content(call, apply_format(words[0], words[1:])) if words else None,
        succeeded=bool(words) or None,
    )


def apply_format(form: Text, arguments: Sequence[Text]) -> Text:
    """The format, used again as long as there are arguments for it."""
    written: list[Piece] = []
    left = list(arguments)
    while True:
        before = len(left)
        pieces, stopped = _once(form, left)
        written += pieces
        if stopped or not left or len(left) == before:
            return Text.of(*written)


def _once(form: Text, left: list[Text]) -> tuple[list[Piece], bool]:
    pieces: list[Piece] = []
    for piece in form.pieces:
        if not isinstance(piece, str):
            pieces.append(piece)
            continue
        end = 0
        for found in _DIRECTIVE.finditer(piece):
            pieces.append(unescape_format(piece[end : found.start()]))
            end = found.end()
            filled, stopped = _filled(found, left)
            pieces += filled.pieces
            if stopped:
                return pieces, True
        pieces.append(unescape_format(piece[end:]))
    return pieces, False


def _filled(found: re.Match[str], left: list[Text]) -> tuple[Text, bool]:
    if found.group() == "%%":
        return Text.of("%"), False
    flags, width, precision, date, kind = found.groups()
    # In the order in which printf takes them: width and precision may be arguments themselves.
    sizes = [_size(_next(left).known if size == "*" else size) for size in (width, precision)]
    argument = _next(left)
    if date is not None:
        return Text.of(Hole(found.group(), "the time is known on the node")), False
    if kind == "b":
        return unescape_argument(argument)
    if argument.known is None:
        return argument, False
    if None in sizes or kind not in _KINDS:
        return Text.of(Hole(found.group(), "how printf writes it is not read here")), False
    return Text.of(_shaped(argument.known, kind, flags, *map(str, sizes))), False


def _size(written: str | None) -> str | None:
    """Digits, or nothing; None for what is neither, and for a width that nobody means."""
    if not written:
        return ""
    return written if written.removeprefix("-").isdecimal() and len(written) < 5 else None


def _next(left: list[Text]) -> Text:
    return left.pop(0) if left else EMPTY


def _shaped(value: str, kind: str, flags: str, width: str, precision: str) -> str:
    if kind in _WHOLE_NUMBERS:
        number = _number(value) & _LARGEST if kind not in "di" else _number(value)
        return f"%{flags}{width}{f'.{precision}' if precision else ''}{kind}" % number
    if kind == "q":
        value = re.sub(r"([^A-Za-z0-9_@%+=:,./-])", r"\\\1", value) or "''"
    if kind == "c":
        value = value[:1]
    if precision and kind == "s":
        value = value[: max(int(precision), 0)]
    size = int(width or 0)
    return value.ljust(abs(size)) if "-" in flags or size < 0 else value.rjust(size)


def _number(value: str) -> int:
    """The number as printf reads it: octal, hexadecimal, or the code of a quoted letter; anything else is zero."""
    if value[:1] in {"'", '"'} and len(value) > 1:
        return ord(value[1])
    digits = value.strip()
    octal = re.fullmatch(r"[-+]?0[0-7]+", digits)
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:
        return 0


def _spaced(words: Sequence[Text]) -> Text:
    spread: Iterator[Piece] = chain.from_iterable(
        (" ", *word.pieces) if index else word.pieces for index, word in enumerate(words)
    )
    return Text.of(*spread)


HANDLERS: dict[str, Handler] = {"echo": echo, "printf": printf}
