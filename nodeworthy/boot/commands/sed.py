"""sed: edits files in place, or prints what it made of them."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.boot.commands.call import (
    MOST_LINES,
    NOTHING,
    Call,
    Did,
    Given,
    Handler,
    has_open_lines,
    on_the_node,
    split_options,
)
from nodeworthy.boot.commands.edits import backup
from nodeworthy.boot.commands.names import pattern
from nodeworthy.boot.commands.searching import Mask, Search, TooHard
from nodeworthy.boot.commands.sed_script import Address, Command, Substitutes, commands_of
from nodeworthy.boot.commands.streams import contents_of, join_contents
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Text
from nodeworthy.records import dataclass, field

# What sed makes of lines. A hole is taken for a word that the expressions do not look for.


@dataclass
class _Line:
    number: int
    text: str
    is_last: bool
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    deleted: bool = False
    quits: bool = False


class Run:
    """Raises TooHard where it can't be said what comes out."""

    def __init__(self, commands: Sequence[Command], mask: Mask, *, silent: bool = False) -> None:
        self.commands = commands
        self.search = Search(mask)
        self.silent = silent
        self.inside: dict[int, bool] = {}

    def on(self, lines: Sequence[str]) -> list[tuple[int | None, str]]:
        """The lines that come out: each with the index of the line that it was, None for a new or a changed one."""
        out: list[tuple[int | None, str]] = []
        for index, text in enumerate(lines):
            line = _Line(index + 1, text, index + 1 == len(lines))
            self._run(self.commands, line)
            out += [(None, new) for new in line.before]
            if not line.deleted and not self.silent:
                out += [(index if line.text == text else None, row) for row in line.text.split("\n")]
            out += [(None, new) for new in line.after]
            if line.quits:
                break
            if len(out) > MOST_LINES:
                raise TooHard("too many lines")
        return out

    def _run(self, commands: Sequence[Command], line: _Line) -> None:
        for command in commands:
            if line.deleted or line.quits:
                return
            if self._is_for(command, line):
                self._do(command, line)

    def _do(self, command: Command, line: _Line) -> None:
        if command.name == "{":
            self._run(command.body, line)
        elif command.name == "s" and command.substitutes:
            self._substitute(command.substitutes, line)
        elif command.name == "d":
            line.deleted = True
        elif command.name == "p":
            line.before.append(line.text)
        elif command.name == "q":
            line.quits = True
        elif command.name == "a":
            line.after += command.text.split("\n")
        elif command.name == "i":
            line.before += command.text.split("\n")
        else:
            self._change(command, line)

    def _change(self, command: Command, line: _Line) -> None:
        line.deleted = True
        # Of a range, the text comes once, at its end.
        if command.last is None or command.negated or not self.inside.get(id(command)):
            line.before += command.text.split("\n")

    def _is_for(self, command: Command, line: _Line) -> bool:
        if command.first is None:
            return not command.negated
        fits = self._in_range(command, line) if command.last else self._fits(command.first, line)
        return fits != command.negated

    def _in_range(self, command: Command, line: _Line) -> bool:
        first, last = command.first, command.last
        if first is None or last is None:
            return True
        if self.inside.get(id(command)):
            self.inside[id(command)] = not self._ends(last, line)
            return last.line is None or last.line == 0 or line.number <= last.line
        if not self._fits(first, line):
            return False
        # The end is looked for from the next line on, unless it is a number that is past already.
        is_past = line.is_last if last.line == 0 else last.line is not None and last.line <= line.number
        self.inside[id(command)] = not is_past
        return True

    def _ends(self, last: Address, line: _Line) -> bool:
        if last.line:
            return line.number >= last.line
        return self._fits(last, line)

    def _fits(self, address: Address, line: _Line) -> bool:
        if address.regex:
            return self.search.span(address.regex, line.text) is not None
        return line.is_last if address.line == 0 else line.number == address.line

    def _substitute(self, told: Substitutes, line: _Line) -> None:
        text, out, start, count, behind = line.text, [], 0, 0, -1
        while start <= len(text) and (count < told.nth or told.everywhere):
            span = self.search.span(told.regex, text, start)
            if span is None:
                break
            out.append(text[start : span[0]])
            # An empty place right behind what was found before is not found again.
            if span != (behind, behind):
                count += 1
                out.append(self._filled(told, text, span[0]) if count >= told.nth else text[span[0] : span[1]])
            start = behind = span[1]
            if span[0] == span[1]:
                out.append(text[start : start + 1])
                start += 1
        if count >= told.nth:
            line.text = "".join(out) + text[start:]
            if told.prints:
                line.before.append(line.text)

    def _filled(self, told: Substitutes, text: str, start: int) -> str:
        found = told.regex.pattern.match(text, start)
        if found is None:
            raise TooHard("a match that depends on what stands before it")
        return "".join(part if isinstance(part, str) else found.group(part) or "" for part in told.replacement)


_TAKES = frozenset("-e -f -l --expression --file --line-length".split())
_IN_PLACE = ("-i", "--in-place")
_SILENT = ("-n", "--quiet", "--silent")


def sed(call: Call) -> Did:
    arguments = split_options(call.arguments[1:], _TAKES, attached=frozenset({"-i"}))
    expressions = arguments.values("-e", "--expression")
    files = arguments.operands
    if not expressions and not arguments.has("-f", "--file"):
        expressions, files = files[:1], files[1:]
    if arguments.has(*_IN_PLACE):
        paths = [pattern(call.path(file)) for file in files]
        backups = [each for path in paths for each in backup(call, arguments, path)]
        return Did([*backups, *(_edited(call, arguments, expressions, path) for path in paths)], output=NOTHING)
    contents = [contents_of(call, file) for file in files] or [call.stdin]
    known = None if None in contents else edit_content(call, arguments, expressions, join_contents(call, contents))
    return Did(output=known or on_the_node(call))


def _edited(call: Call, arguments: Given, expressions: Sequence[Text], path: Text) -> Writes:
    content = call.files.content(path)
    whole = None if content is None else edit_content(call, arguments, expressions, content)
    return call.does(Writes, path=path, how=How.EDIT, expressions=tuple(expressions), whole=whole)


def edit_content(call: Call, arguments: Given, expressions: Sequence[Text], content: Content) -> Content | None:
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
    """Whether the command adds a line after the last one, whatever lines there are."""
    return command.name == "a" and command.last is None and command.first is not None and command.first.line == 0


HANDLERS: dict[str, Handler] = {"sed": sed}
