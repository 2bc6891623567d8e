"""Finds in one pass where quotes, substitutions, tests, arrays, comments and heredocs begin and end.

What it leaves of the commands are plain words, operators and keywords: the rest is crossed out, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nodeworthy.boot.shell.frames import RESTARTS, Frame, Frames
from nodeworthy.boot.shell.heredocs import announced, body_of
from nodeworthy.boot.shell.source import DEEPEST, Source

_ANYWHERE = r"\\.|\"|`|\$\$|\$\(\(|\$[({\[]"
_UNQUOTED = rf"{_ANYWHERE}|'|\$['\"]"
_LIST = rf"{_UNQUOTED}|#|<\(|>\(|\(|\)"
_COMMANDS = rf"{_UNQUOTED}|#|<<[<-]?|<\(|>\(|=\(|@\(|\?\(|\*\(|\+\(|\(\(|\(|\)|\[\[|case|esac"
_FIND = {
    kind: re.compile(pattern, re.DOTALL)
    for kind, pattern in {
        "commands": _COMMANDS,
        "commands before a body": rf"{_COMMANDS}|\n",
        "list": _LIST,
        "test": rf"{_UNQUOTED}|\]\]",
        "arithmetic": rf"{_UNQUOTED}|\(|\)",
        "index": rf"{_UNQUOTED}|\[|\]",
        "braces": rf"{_UNQUOTED}|\}}",
        "quoted braces": rf"{_ANYWHERE}|\}}",
        "quotes": _ANYWHERE,
        "body": r"\\.|`|\$\$|\$\(\(|\$[({\[]",
    }.items()
}
_SINGLE = re.compile(r"[^']*+'")
_ANSI = re.compile(r"(?:[^'\\]++|\\.)*+'", re.DOTALL)
_BACKTICKS = re.compile(r"(?:[^`\\]++|\\.)*+`", re.DOTALL)
_COMMAND_BEGINS = re.compile(
    r"(?:^|[\n;&|(){`]|(?:^|[\s;&|(){])(?:!|then|do|else|elif|if|while|until|time|for|in))[ \t]*\Z"
)
_BLANKS = frozenset(" \t\n")
_BETWEEN_WORDS = frozenset(" \t\n;&|()<>")


class Lexer(Frames):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.bodies = 0
        self.no_arithmetic: set[int] = set()

    def read(self, start: int, end: int) -> str:
        """The commands from one offset to another, crossed out."""
        top = self._scan("commands", start, end)
        return "".join([*top.pieces, self.text[top.last : end]])

    def _scan(self, kind: str, at: int, end: int) -> Frame:
        self.stack = stack = [Frame(kind, at, at)]
        self.end = end
        while True:
            kind = stack[-1].kind
            if self.pending and kind == "commands":
                kind = "commands before a body"
            found = _FIND[kind].search(self.text, at, end)
            if found is not None:
                read = _TOKENS.get(found.group())
                at = self._escape(*found.span()) if read is None else read(self, found.start())
            elif len(stack) > 1:
                at = self.unclosed(stack[1].start)
            elif self.pending:
                at = self._newline(end)
            else:
                return stack[0]

    def _escape(self, start: int, end: int) -> int:
        if not self.text.startswith("\n", start + 1):
            return self.cross(start, end)
        around = self.text[start - 1 : start] + self.text[end : end + 1]
        in_word = len(around) == 2 and not any(each in _BETWEEN_WORDS for each in around)
        return self.cross(start, end, "x" if in_word else " ")

    def _single(self, at: int) -> int:
        return self.leaf(_SINGLE, at, at + 1)

    def _ansi(self, at: int) -> int:
        return self.leaf(_ANSI, at, at + 2)

    def _backticks(self, at: int) -> int:
        return self.leaf(_BACKTICKS, at, at + 1)

    def _quote(self, at: int) -> int:
        if self.stack[-1].kind == "quotes":
            return self.close(at, at + 1)
        return self.open("quotes", at, at + 1)

    def _dollar_quote(self, at: int) -> int:
        return self.open("quotes", at, at + 2)

    def _process_id(self, at: int) -> int:
        return self.cross(at, at + 2)

    def _dollar_arithmetic(self, at: int) -> int:
        if at in self.no_arithmetic:
            return self.open("commands", at, at + 2)
        return self.open("arithmetic", at, at + 3)

    def _substitution(self, at: int) -> int:
        return self.open("commands", at, at + 2)

    def _braces(self, at: int) -> int:
        quoted = self.stack[-1].kind in ("quotes", "body", "quoted braces")
        return self.open("quoted braces" if quoted else "braces", at, at + 2)

    def _end_of_braces(self, at: int) -> int:
        return self.close(at, at + 1)

    def _dollar_index(self, at: int) -> int:
        return self.open("index", at, at + 2)

    def _comment(self, at: int) -> int:
        if at > 0 and self.text[at - 1] not in _BETWEEN_WORDS:
            return at + 1
        line_end = self.text.find("\n", at, self.end)
        return self.cross(at, line_end if line_end >= 0 else self.end, " ")

    def _here_string(self, at: int) -> int:
        return at + 3

    def _heredoc(self, at: int) -> int:
        length = 3 if self.text.startswith("-", at + 2) else 2
        found = announced(self.text, at, length, self.end)
        if found is None:
            return at + length
        here, word, end = found
        self.pending.append(here)
        self.cross(at + length, word, " ")
        return self.cross(word, end)

    def _newline(self, at: int) -> int:
        """The bodies of the heredocs that the line before announced."""
        behind = start = min(at + 1, self.end)
        pending, self.pending, stack, end = self.pending, [], self.stack, self.end
        for here in pending:
            body, start = body_of(self.text, here, start, end)
            self.source.bodies[here.at] = body
            if not body.quoted and self.bodies < DEEPEST:
                self.bodies += 1
                self._scan("body", body.start, body.end)
                self.bodies -= 1
        self.stack, self.end, self.pending = stack, end, []
        return self.cross(behind, start, " ")

    def _array(self, at: int) -> int:
        before = self.text[at - 1 : at]
        if not (before.isalnum() or before in ("_", "]", "+")):
            return at + 1
        self.source.arrays.add(at + 1)
        return self.open("list", at + 1, at + 2)

    def _glob(self, at: int) -> int:
        return self.open("list", at, at + 2)

    def _double_bracket(self, at: int) -> int:
        behind = self.text[at + 2 : at + 3]
        if behind not in _BLANKS or not self._begins_command(at):
            return at + 2
        self.source.tests.add(at)
        return self.open("test", at, at + 2)

    def _end_of_test(self, at: int) -> int:
        behind = self.text[at + 2 : at + 3]
        if self.text[at - 1] not in _BLANKS or (behind and behind not in _BETWEEN_WORDS):
            return at + 1
        return self.close(at, at + 2)

    def _double_parenthesis(self, at: int) -> int:
        if at in self.no_arithmetic or not self._begins_command(at):
            return self._parenthesis(at)
        self.source.arithmetics.add(at)
        return self.open("arithmetic", at, at + 2)

    def _parenthesis(self, at: int) -> int:
        self.stack[-1].nest.append("(")
        return at + 1

    def _end_of_parenthesis(self, at: int) -> int:
        frame = self.stack[-1]
        if frame.nest:
            if frame.nest[-1] == "(":
                frame.nest.pop()
            return at + 1
        if frame.kind == "arithmetic":
            return self._end_of_arithmetic(at)
        return self.close(at, at + 1) if len(self.stack) > 1 else at + 1

    def _end_of_arithmetic(self, at: int) -> int:
        if self.text.startswith("))", at):
            return self.close(at, at + 2)
        self.restarts += 1
        if self.restarts > RESTARTS:
            return self.close(at, at + 1)
        start = self.stack.pop().start
        self.no_arithmetic.add(start)
        self.source.arithmetics.discard(start)
        return start

    def _bracket(self, at: int) -> int:
        self.stack[-1].nest.append("[")
        return at + 1

    def _end_of_bracket(self, at: int) -> int:
        if not self.stack[-1].nest:
            return self.close(at, at + 1)
        self.stack[-1].nest.pop()
        return at + 1

    def _case(self, at: int) -> int:
        if self._is_word(at, at + 4) and self._begins_command(at):
            self.stack[-1].nest.append("case")
        return at + 4

    def _esac(self, at: int) -> int:
        nest = self.stack[-1].nest
        if nest and nest[-1] == "case" and self._is_word(at, at + 4) and self._begins_command(at):
            nest.pop()
        return at + 4

    def _is_word(self, start: int, end: int) -> bool:
        around = (self.text[max(0, start - 1) : start], self.text[end : end + 1])
        return all(not each or each in _BETWEEN_WORDS for each in around)

    def _begins_command(self, at: int) -> bool:
        return _COMMAND_BEGINS.search(self.text[max(0, at - 40) : at]) is not None


_TOKENS: dict[str, Callable[[Lexer, int], int]] = {
    "'": Lexer._single,
    '"': Lexer._quote,
    '$"': Lexer._dollar_quote,
    "$'": Lexer._ansi,
    "`": Lexer._backticks,
    "$$": Lexer._process_id,
    "$((": Lexer._dollar_arithmetic,
    "$(": Lexer._substitution,
    "<(": Lexer._substitution,
    ">(": Lexer._substitution,
    "${": Lexer._braces,
    "}": Lexer._end_of_braces,
    "$[": Lexer._dollar_index,
    "[": Lexer._bracket,
    "]": Lexer._end_of_bracket,
    "#": Lexer._comment,
    "<<": Lexer._heredoc,
    "<<-": Lexer._heredoc,
    "<<<": Lexer._here_string,
    "\n": Lexer._newline,
    "=(": Lexer._array,
    "@(": Lexer._glob,
    "?(": Lexer._glob,
    "*(": Lexer._glob,
    "+(": Lexer._glob,
    "[[": Lexer._double_bracket,
    "]]": Lexer._end_of_test,
    "((": Lexer._double_parenthesis,
    "(": Lexer._parenthesis,
    ")": Lexer._end_of_parenthesis,
    "case": Lexer._case,
    "esac": Lexer._esac,
}
