"""cat and tee: what comes in goes out, into files or on."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.call import (
    MOST_LINES,
    NOTHING,
    Call,
    Did,
    Handler,
    has_open_lines,
    on_the_node,
    split_options,
)
from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Text

_STDIN = frozenset({"-", "/dev/stdin"})
_NO_FILES = frozenset({"/dev/null", "/dev/stderr", "/dev/stdout", "/dev/console", "/dev/kmsg", "/dev/tty"})


def cat(call: Call) -> Did:
    operands = split_options(call.arguments[1:]).operands
    contents = [contents_of(call, each) for each in operands] if operands else [call.stdin]
    return Did(output=join_contents(call, contents), succeeded=None if None in contents else True)


def contents_of(call: Call, operand: Text) -> Content | None:
    if operand.known == "/dev/null":
        return NOTHING
    return call.stdin if operand.known in _STDIN else call.files.content(call.path(operand))


def join_contents(call: Call, contents: Sequence[Content | None]) -> Content:
    """One after the other; what the script did not write itself is a line that nobody knows."""
    whole = NOTHING
    for content in contents:
        whole += on_the_node(call) if content is None else content
        if len(whole.lines) > MOST_LINES:
            return on_the_node(call)
    return whole


def tee(call: Call) -> Did:
    arguments = split_options(call.arguments[1:])
    appends = arguments.has("-a", "--append")
    effects = [
        write_of(call, path, call.stdin, appends=appends)
        for path in map(call.path, arguments.operands)
        if path.known not in _NO_FILES
    ]
    return Did(effects, output=call.stdin)


def write_of(
    call: Call, path: Text, content: Content | None, *, appends: bool = False, mode: str | None = None
) -> Writes:
    """A file written as a whole, or added to; of what is one hole nothing is known."""
    printed_by = content.printed_by if content is not None else ""
    if content is not None and len(content.lines) == 1 and has_open_lines(content):
        content = None
    whole = content
    if appends:
        before = call.files.content(path)
        whole = None if before is None or content is None else before + content
    how = How.APPEND if appends else How.WRITE
    return call.does(Writes, path=path, how=how, content=content, whole=whole, mode=mode, printed_by=printed_by)


HANDLERS: dict[str, Handler] = {"cat": cat, "tee": tee}
