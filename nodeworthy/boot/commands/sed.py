"""sed: edits files in place, or prints what it made of them."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.arguments import Given, given
from nodeworthy.boot.commands.backups import backup
from nodeworthy.boot.commands.call import Call, Did, Handler
from nodeworthy.boot.commands.masked import Mask
from nodeworthy.boot.commands.names import pattern
from nodeworthy.boot.commands.output import NOTHING, has_open_lines, on_the_node
from nodeworthy.boot.commands.sed_commands import Command
from nodeworthy.boot.commands.sed_regex import TooHard
from nodeworthy.boot.commands.sed_run import Run
from nodeworthy.boot.commands.sed_script import commands_of
from nodeworthy.boot.commands.streams import contents_of, joined
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Text

_TAKES = frozenset("-e -f -l --expression --file --line-length".split())
_IN_PLACE = ("-i", "--in-place")
_SILENT = ("-n", "--quiet", "--silent")


def sed(call: Call) -> Did:
    arguments = given(call.arguments[1:], _TAKES, attached=frozenset({"-i"}))
    expressions = arguments.values("-e", "--expression")
    files = arguments.operands
    if not expressions and not arguments.has("-f", "--file"):
        expressions, files = files[:1], files[1:]
    if arguments.has(*_IN_PLACE):
        paths = [pattern(call.path(file)) for file in files]
        backups = [each for path in paths for each in backup(call, arguments, path)]
        return Did([*backups, *(_edited(call, arguments, expressions, path) for path in paths)], output=NOTHING)
    contents = [contents_of(call, file) for file in files] or [call.stdin]
    known = None if None in contents else edited(call, arguments, expressions, joined(call, contents))
    return Did(output=known or on_the_node(call))


def _edited(call: Call, arguments: Given, expressions: Sequence[Text], path: Text) -> Writes:
    content = call.files.content(path)
    whole = None if content is None else edited(call, arguments, expressions, content)
    return call.does(Writes, path=path, how=How.EDIT, expressions=tuple(expressions), whole=whole)


def edited(call: Call, arguments: Given, expressions: Sequence[Text], content: Content) -> Content | None:
    """None where it can't be said what comes out."""
    if arguments.has("-f", "--file", "-z", "--null-data", "-s", "--separate"):
        return None
    mask = Mask()
    scripts = [mask.on(expression) for expression in expressions]
    lines = [mask.on(line.text) for line in content.lines]
    if None in scripts or None in lines:
        return None
    try:
        commands = commands_of("\n".join(map(str, scripts)), extended=arguments.has("-E", "-r", "--regexp-extended"))
        if has_open_lines(content) and not all(map(_only_adds, commands)):
            return None
        out = Run(commands, mask, silent=arguments.has(*_SILENT)).on([str(line) for line in lines])
    except TooHard:
        return None
    return Content(tuple(content.lines[at] if at is not None else Line(mask.off(text), call.place) for at, text in out))


def _only_adds(command: Command) -> bool:
    """Whatever lines there are, it adds one behind the last of them."""
    return command.name == "a" and command.last is None and command.first is not None and command.first.line == 0


HANDLERS: dict[str, Handler] = {"sed": sed}
