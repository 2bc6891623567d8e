"""Small programs that turn a text into another one: tr, base64, head, tail, cut, envsubst, seq, basename."""

from __future__ import annotations

import base64
import binascii
import re
import string

from nodeworthy.boot.commands.call import (
    Call,
    Did,
    Given,
    Handler,
    ask_node,
    has_open_lines,
    printed_content,
    split_options,
)
from nodeworthy.boot.commands.names import last_part
from nodeworthy.boot.commands.printing import unescape_format
from nodeworthy.boot.commands.streams import contents_of, join_contents
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.patterns import pattern

_SETS = {
    "[:upper:]": string.ascii_uppercase,
    "[:lower:]": string.ascii_lowercase,
    "[:digit:]": string.digits,
    "[:space:]": " \t\n\r\f\v",
    "[:blank:]": " \t",
}
_RANGE = pattern(r"(.)-(.)", re.DOTALL)
_VARIABLE = pattern(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")
_MOST_NUMBERS = 1000


def tr(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    sets = [_letters(word) for word in arguments.words]
    if call.stdin is None or None in sets or arguments.has("-c", "-C", "-s", "--complement", "--squeeze-repeats"):
        return ask_node(call)
    table = _table([each or "" for each in sets], deletes=arguments.has("-d", "--delete"))
    if table is None:
        return ask_node(call)
    pieces = [piece.translate(table) if isinstance(piece, str) else piece for piece in call.stdin.text.pieces]
    return Did(output=printed_content(call, Text.of(*pieces)))


def _table(sets: list[str], *, deletes: bool) -> dict[int, str | None] | None:
    if deletes:
        return {ord(letter): None for letter in sets[0]} if len(sets) == 1 else None
    if len(sets) != 2 or not sets[1]:
        return None
    # The second set's last letter stands for all that it lacks.
    return {ord(letter): sets[1][min(index, len(sets[1]) - 1)] for index, letter in enumerate(sets[0])}


def _letters(word: str) -> str | None:
    """None for a set that is not read here."""
    if word in _SETS:
        return _SETS[word]
    if "[" in word[:1] and ":" in word:
        return None
    spread = _RANGE.sub(lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), word)
    return unescape_format(spread)


def base64_(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset({"-w", "--wrap"}))
    content = contents_of(call, arguments.operands[0]) if arguments.operands else call.stdin
    known = content.known if content else None
    if known is None:
        return ask_node(call)
    if arguments.has("-d", "-D", "--decode"):
        try:
            return Did(output=printed_content(call, Text.of(base64.b64decode(known).decode("utf-8"))))
        except (binascii.Error, ValueError):
            return ask_node(call)
    # Whether its last line had an end is not known here, and would be encoded too.
    return ask_node(call)


def head(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset("-n -c --lines --bytes".split()))
    contents = [contents_of(call, each) for each in arguments.operands] or [call.stdin]
    count = _count(arguments)
    content = join_contents(call, contents)
    if count is None or len(contents) > 1 or contents[0] is None or has_open_lines(content):
        return ask_node(call)
    return Did(output=Content(content.lines[:count] if call.program == "head" else content.lines[-count:]))


def _count(arguments: Given) -> int | None:
    """`-n 3`, `-3`; nothing of what counts from the other end."""
    digits = "".join(name[1:] for name, _ in arguments.options if name[1:].isdecimal())
    value = arguments.value("-n", "--lines")
    told = digits if value is None else value.string
    if not told and not arguments.options:
        told = "10"
    return int(told) if told.isdecimal() and len(told) < 9 and int(told) > 0 else None


def cut(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], frozenset("-d -f -c -b --delimiter --fields --characters".split()))
    content = contents_of(call, arguments.operands[0]) if arguments.operands else call.stdin
    wanted = arguments.value("-f", "--fields")
    delimiter = arguments.value("-d", "--delimiter")
    is_one = wanted is not None and wanted.string.isdecimal() and len(wanted.string) < 6
    if content is None or content.known is None or not is_one or wanted is None:
        return ask_node(call)
    at, between = int(wanted.known or 1), (delimiter.known if delimiter else "\t") or "\t"
    lines = [Line(Text.of(_field(line.text.string, between, at)), line.place) for line in content.lines]
    return Did(output=Content(tuple(lines)))


def _field(line: str, delimiter: str, at: int) -> str:
    found = line.split(delimiter)
    # A line without the delimiter is printed as it is.
    return line if len(found) == 1 else found[at - 1] if 0 < at <= len(found) else ""


def envsubst(call: Call) -> Did:
    """Fills in what is exported; whether the node sets another variable is not known here."""
    if call.stdin is None or len(call.arguments) > 1:
        return ask_node(call)
    pieces: list[Piece] = []
    for piece in call.stdin.text.pieces:
        if not isinstance(piece, str):
            pieces.append(piece)
            continue
        end = 0
        for found in _VARIABLE.finditer(piece):
            pieces.append(piece[end : found.start()])
            end = found.end()
            value = call.environment.get(found[1] or found[2])
            pieces += value.pieces if value is not None else (Hole(found[0], "envsubst fills it on the node"),)
        pieces.append(piece[end:])
    return Did(output=printed_content(call, Text.of(*pieces)))


def seq(call: Call) -> Did:
    words = call.words
    if not 1 <= len(words) <= 3 or not all(word.lstrip("-").isdecimal() and len(word) < 8 for word in words):
        return ask_node(call)
    numbers = [int(word) for word in words]
    first, step = (numbers[0] if len(numbers) > 1 else 1, numbers[1] if len(numbers) == 3 else 1)
    if step == 0 or abs(numbers[-1] - first) // abs(step) > _MOST_NUMBERS:
        return ask_node(call)
    counted = range(first, numbers[-1] + (1 if step > 0 else -1), step)
    return Did(output=printed_content(call, Text.of("".join(f"{number}\n" for number in counted))))


def basename(call: Call) -> Did:
    words = call.arguments[1:]
    if not 1 <= len(words) <= 2 or (words[0].known or "x").startswith("-") or not (words[-1].known or "x"):
        return ask_node(call)
    name = last_part(
        Text.of(*words[0].pieces[:-1], str(words[0].pieces[-1]).rstrip("/")) if words[0].known else words[0]
    )
    known = name.known
    if len(words) == 2 and known is not None and words[1].known is not None and known != words[1].known:
        name = Text.of(known.removesuffix(words[1].known))
    return Did(output=printed_content(call, name + Text.of("\n")))


def dirname(call: Call) -> Did:
    known = call.words[0] if len(call.words) == 1 else ""
    if not known or known.startswith("-"):
        return ask_node(call)
    folder = known.rstrip("/").rpartition("/")[0].rstrip("/") or ("/" if known.startswith("/") else ".")
    return Did(output=printed_content(call, Text.of(f"{folder}\n")))


HANDLERS: dict[str, Handler] = {
    "tr": tr,
    "base64": base64_,
    **dict.fromkeys(("head", "tail"), head),
    "cut": cut,
    "envsubst": envsubst,
    "seq": seq,
    "basename": basename,
    "dirname": dirname,
}
