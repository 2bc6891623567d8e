"""Programs that run other commands, or have them run later: find -exec, crontab, at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.boot.commands.arguments import given
from nodeworthy.boot.commands.call import Call, Did, Handler
from nodeworthy.boot.commands.output import NOTHING, asked, on_the_node
from nodeworthy.boot.commands.streams import contents_of, written
from nodeworthy.boot.effects import Effect, NotUnderstood, Runs
from nodeworthy.boot.text import Hole, Text

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
    told = given(call.arguments[1:], frozenset({"-u"}))
    if told.has("-l"):
        return asked(call)
    if told.has("-r", "-e"):
        return Did([call.does(Runs, arguments=call.arguments)])
    content = contents_of(call, told.operands[0]) if told.operands else call.stdin
    return Did([written(call, CRONTAB, content)], output=NOTHING)


def at(call: Call) -> Did:
    """It runs what it reads, later."""
    if call.stdin is None or not call.stdin.lines:
        return Did([call.does(Runs, arguments=call.arguments)])
    return Did([_unread(call, call.stdin.text.shown())])


def _unread(call: Call, text: str) -> NotUnderstood:
    return call.does(NotUnderstood, written=text, why=f"what {call.program} runs is not followed here")


HANDLERS: dict[str, Handler] = {
    "find": find,
    "crontab": crontab,
    **dict.fromkeys(("at", "batch"), at),
}
