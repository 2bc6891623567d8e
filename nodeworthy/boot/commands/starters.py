"""Programs that run other commands, or have them run later: find -exec, crontab, at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.commands.call import (
    NOTHING,
    Call,
    Did,
    Handler,
    ask_node,
    has_open_lines,
    on_the_node,
    run_on_node,
    split_options,
)
from nodeworthy.boot.commands.names import fields
from nodeworthy.boot.commands.streams import contents_of, write_of
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Effect, NotUnderstood, Runs
from nodeworthy.boot.text import Hole, Piece, Text
from nodeworthy.records import replace

# The commands that xargs makes of what it reads.

_TAKES = frozenset(
    "-I -n -P -L -d -a -E -s --max-args --max-procs --max-lines --delimiter --arg-file --max-chars".split()
)
# More than that are one that is not known.
_MOST = 50


def commands(arguments: Sequence[Text], stdin: Content | None) -> list[tuple[Text, ...]]:
    told = split_options(arguments[1:], _TAKES, attached=frozenset({"-i", "-l", "-e"}), stops=True)
    command = told.operands or (Text.of("echo"),)
    marker = told.value("-I") or (Text.of("{}") if told.has("-i", "--replace") else None)
    items = _items(None if told.has("-a", "--arg-file", "-d", "--delimiter") else stdin, by_line=marker is not None)
    if marker is not None and marker.known:
        return [tuple(_put(word, marker.known, item) for word in command) for item in items]
    each = (told.value("-n", "--max-args") or Text()).string
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


CRONTAB = Text.of("/var/spool/cron/root")
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_CHANGES = frozenset({"-delete", "-fprint", "-fprintf", "-fls"})
_ENDS = frozenset({";", "+", "\\;"})
_FOUND = Hole("{}", "find tells it on the node")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})


def find(call: Call) -> Did:
    effects = [effect for inner in _executed(call) for effect in _run(inner)]
    if not effects and _CHANGES.intersection(call.words):
        effects = [call.does(Runs, arguments=call.arguments)]
    return Did(effects, output=on_the_node(call))


def _executed(call: Call) -> Iterator[Call]:
    """The commands behind -exec, each up to its end; `{}` is what was found."""
    command: list[Text] | None = None
    for argument in call.arguments[1:]:
        if command is None:
            command = [] if argument.known in _EXECUTES else None
        elif argument.known in _ENDS:
            if command:
                yield replace(call, arguments=tuple(command), stdin=None)
            command = None
        else:
            command.append(Text.of(_FOUND) if argument.known == "{}" else argument)


def _run(inner: Call) -> list[Effect]:
    from nodeworthy.boot.commands.table import did

    if inner.program in _SHELLS:
        return [_unread(inner, " ".join(argument.shown() for argument in inner.arguments))]
    return list(did(inner).effects)


def crontab(call: Call) -> Did:
    """`crontab FILE`, `… | crontab -`: the file's commands run later, some of them at every boot."""
    told = split_options(call.arguments[1:], frozenset({"-u"}))
    if told.has("-l"):
        return ask_node(call)
    if told.has("-r", "-e"):
        return run_on_node(call)
    content = contents_of(call, told.operands[0]) if told.operands else call.stdin
    return Did([write_of(call, CRONTAB, content)], output=NOTHING)


def at(call: Call) -> Did:
    """Runs what it reads, at a later time."""
    if call.stdin is None or not call.stdin.lines:
        return run_on_node(call)
    return Did([_unread(call, call.stdin.text.shown())])


def _unread(call: Call, text: str) -> NotUnderstood:
    return call.does(NotUnderstood, written=text, why=f"what {call.program} runs is not followed here")


HANDLERS: dict[str, Handler] = {
    "find": find,
    "crontab": crontab,
    **dict.fromkeys(("at", "batch"), at),
}
