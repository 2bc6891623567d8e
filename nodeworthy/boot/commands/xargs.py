"""The commands that xargs makes of what it reads."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.arguments import given
from nodeworthy.boot.commands.names import fields
from nodeworthy.boot.commands.output import has_open_lines
from nodeworthy.boot.content import Content
from nodeworthy.boot.text import Hole, Piece, Text

_TAKES = frozenset(
    "-I -n -P -L -d -a -E -s --max-args --max-procs --max-lines --delimiter --arg-file --max-chars".split()
)
# More than that are one that is not known.
_MOST = 50


def commands(arguments: Sequence[Text], stdin: Content | None) -> list[tuple[Text, ...]]:
    told = given(arguments[1:], _TAKES, attached=frozenset({"-i", "-l", "-e"}), stops=True)
    command = told.operands or (Text.of("echo"),)
    marker = told.value("-I") or (Text.of("{}") if told.has("-i", "--replace") else None)
    items = _items(None if told.has("-a", "--arg-file", "-d", "--delimiter") else stdin, by_line=marker is not None)
    if marker is not None and marker.known:
        return [tuple(_put(word, marker.known, item) for word in command) for item in items]
    each = (told.value("-n", "--max-args") or Text()).known or ""
    size = int(each) if each.isdecimal() and int(each) > 0 else len(items)
    found = [(*command, *items[start : start + size]) for start in range(0, len(items), size or 1)]
    return found or ([] if told.has("-r", "--no-run-if-empty") else [command])


def _items(stdin: Content | None, *, by_line: bool) -> list[Text]:
    if stdin is not None and not has_open_lines(stdin):
        items = (
            [line.text for line in stdin.lines] if by_line else [w for line in stdin.lines for w in fields(line.text)]
        )
        if len(items) <= _MOST:
            return items
    return [Text.of(Hole("{}", "xargs reads it on the node"))]


def _put(word: Text, marker: str, item: Text) -> Text:
    pieces: list[Piece] = []
    for piece in word.pieces:
        if not isinstance(piece, str):
            pieces.append(piece)
            continue
        for index, part in enumerate(piece.split(marker)):
            pieces += [*item.pieces, part] if index else [part]
    return Text.of(*pieces)
