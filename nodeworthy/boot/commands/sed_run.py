"""What sed makes of lines. A hole is taken for a word that the expressions do not look for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from nodeworthy.boot.commands.masked import Mask
from nodeworthy.boot.commands.output import MOST_LINES
from nodeworthy.boot.commands.search import Search
from nodeworthy.boot.commands.sed_commands import Address, Command, Substitutes
from nodeworthy.boot.commands.sed_regex import TooHard
from nodeworthy.records import dataclass


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
