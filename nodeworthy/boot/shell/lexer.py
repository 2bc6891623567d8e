"""Finds in one pass where quotes, substitutions, tests, arrays, comments and heredocs begin and end.

What it leaves of the commands are plain words, operators and keywords: the rest is crossed out, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from nodeworthy.boot.shell.heredocs import Announced, announced, body_of
from nodeworthy.boot.shell.source import DEEPEST, Source

# So often is reading begun anew: behind a line on which something begins that never ends, or because a `$((` was a
# `$( (` after all.
_RESTARTS = 20

_ANYWHERE = r"\\.|\"|`|\$\$|\$\(\(|\$[({\[]"
_UNQUOTED = rf"{_ANYWHERE}|\ue000\d*\n+\ue001|'|\$['\"]"
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
# Kinds of frames whose text is kept: it is read again, by structure.
_KEPT = frozenset({"commands", "list", "test"})


@dataclass(slots=True)
class _Frame:
    kind: str
    start: int
    # Up to here the text is in the pieces.
    last: int
    # What is open inside: `(`, `[`, `case`.
    nest: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)


class Lexer:
    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self.stack: list[_Frame] = []
        self.pending: list[Announced] = []
        self.bodies = 0
        self.restarts = 0
        self.no_arithmetic: set[int] = set()

    def read(self) -> str:
        """The commands of the whole text, crossed out."""
        top = self._scan("commands", 0, len(self.text))
        return "".join([*top.pieces, self.text[top.last :]])

    def _scan(self, kind: str, at: int, end: int) -> _Frame:
        self.stack = stack = [_Frame(kind, at, at)]
        while True:
            kind = stack[-1].kind
            if self.pending and kind == "commands":
                kind = "commands before a body"
            found = _FIND[kind].search(self.text, at, end)
            if found is not None:
                token, at = found.group(), found.start()
                at = _TOKENS.get(token, Lexer._escape)(self, at, end, token)
            elif len(stack) > 1:
                at = self._unclosed(stack[1].start, end)
            elif self.pending:
                at = self._newline(end, end, "")
            else:
                return stack[0]

    def _cross(self, start: int, end: int, by: str = "x") -> int:
        frame = self.stack[-1]
        if frame.kind in _KEPT:
            frame.pieces += (self.text[frame.last : start], by * (end - start))
            frame.last = end
        return end

    def _open(self, kind: str, start: int, inside: int) -> int:
        self.stack.append(_Frame(kind, start, inside))
        return inside

    def _close(self, inside_end: int, end: int) -> int:
        frame = self.stack.pop()
        self.source.ends[frame.start] = end
        if frame.kind in _KEPT:
            frame.pieces.append(self.text[frame.last : inside_end])
            inside = "".join(frame.pieces)
            self.source.insides[frame.start] = inside_end - len(inside), inside
        return self._cross(frame.start, end)

    def _unclosed(self, start: int, end: int) -> int:
        """Gives up what begins here and never ends, with its line; reads on behind that."""
        del self.stack[1:]
        self.pending.clear()
        self.source.broken.add(start)
        self.restarts += 1
        line_end = self.text.find("\n", start, end) if self.restarts < _RESTARTS else -1
        return self._cross(start, line_end if line_end >= 0 else end)

    def _leaf(self, pattern: re.Pattern[str], start: int, inside: int, end: int) -> int:
        found = pattern.match(self.text, inside, end)
        if found is None:
            return self._unclosed(self.stack[1].start if len(self.stack) > 1 else start, end)
        self.source.ends[start] = found.end()
        return self._cross(start, found.end())

    def _escape(self, at: int, end: int, token: str) -> int:
        if token != "\\\n":
            return self._cross(at, at + len(token))
        around = self.text[at - 1 : at] + self.text[at + 2 : at + 3]
        in_word = len(around) == 2 and not any(each in _BETWEEN_WORDS for each in around)
        return self._cross(at, at + 2, "x" if in_word else " ")

    def _single(self, at: int, end: int, token: str) -> int:
        return self._leaf(_SINGLE, at, at + 1, end)

    def _ansi(self, at: int, end: int, token: str) -> int:
        return self._leaf(_ANSI, at, at + 2, end)

    def _backticks(self, at: int, end: int, token: str) -> int:
        return self._leaf(_BACKTICKS, at, at + 1, end)

    def _quote(self, at: int, end: int, token: str) -> int:
        if self.stack[-1].kind == "quotes" and token == '"':
            return self._close(at, at + 1)
        return self._open("quotes", at, at + len(token))

    def _process_id(self, at: int, end: int, token: str) -> int:
        return self._cross(at, at + 2)

    def _dollar_arithmetic(self, at: int, end: int, token: str) -> int:
        if at in self.no_arithmetic:
            return self._open("commands", at, at + 2)
        return self._open("arithmetic", at, at + 3)

    def _substitution(self, at: int, end: int, token: str) -> int:
        return self._open("commands", at, at + 2)

    def _braces(self, at: int, end: int, token: str) -> int:
        quoted = self.stack[-1].kind in ("quotes", "body", "quoted braces")
        return self._open("quoted braces" if quoted else "braces", at, at + 2)

    def _dollar_index(self, at: int, end: int, token: str) -> int:
        return self._open("index", at, at + 2)

    def _comment(self, at: int, end: int, token: str) -> int:
        if at > 0 and self.text[at - 1] not in _BETWEEN_WORDS:
            return at + 1
        line_end = self.text.find("\n", at, end)
        return self._cross(at, line_end if line_end >= 0 else end, " ")

    def _heredoc(self, at: int, end: int, token: str) -> int:
        found = announced(self.text, at, token, end)
        if found is None:
            return at + len(token)
        here, behind = found
        self.pending.append(here)
        self._cross(at + len(token), behind - here.length, " ")
        return self._cross(behind - here.length, behind)

    def _here_string(self, at: int, end: int, token: str) -> int:
        return at + 3

    def _newline(self, at: int, end: int, token: str) -> int:
        """The bodies of the heredocs that the line before announced."""
        start = min(at + 1, end)
        pending, self.pending, stack = self.pending, [], self.stack
        for here in pending:
            body, start = body_of(self.text, here, start, end)
            self.source.bodies[here.at] = body
            if not body.quoted and self.bodies < DEEPEST:
                self.bodies += 1
                self._scan("body", body.start, body.end)
                self.bodies -= 1
        self.stack, self.pending = stack, []
        return self._cross(min(at + 1, end), start, " ")

    def _array(self, at: int, end: int, token: str) -> int:
        before = self.text[at - 1 : at]
        if not (before.isalnum() or before in ("_", "]", "+")):
            return at + 1
        self.source.arrays.add(at + 1)
        return self._open("list", at + 1, at + 2)

    def _glob(self, at: int, end: int, token: str) -> int:
        return self._open("list", at, at + 2)

    def _double_bracket(self, at: int, end: int, token: str) -> int:
        behind = self.text[at + 2 : at + 3]
        if behind not in _BLANKS or not self._begins_command(at):
            return at + 2
        self.source.tests.add(at)
        return self._open("test", at, at + 2)

    def _end_of_test(self, at: int, end: int, token: str) -> int:
        behind = self.text[at + 2 : at + 3]
        if self.text[at - 1] not in _BLANKS or (behind and behind not in _BETWEEN_WORDS):
            return at + 1
        return self._close(at, at + 2)

    def _double_parenthesis(self, at: int, end: int, token: str) -> int:
        if at in self.no_arithmetic or not self._begins_command(at):
            return self._parenthesis(at, end, "(")
        self.source.arithmetics.add(at)
        return self._open("arithmetic", at, at + 2)

    def _parenthesis(self, at: int, end: int, token: str) -> int:
        self.stack[-1].nest.append("(")
        return at + 1

    def _end_of_parenthesis(self, at: int, end: int, token: str) -> int:
        frame = self.stack[-1]
        if frame.nest:
            if frame.nest[-1] == "(":
                frame.nest.pop()
            return at + 1
        if frame.kind == "arithmetic":
            return self._end_of_arithmetic(at, end)
        return self._close(at, at + 1) if len(self.stack) > 1 else at + 1

    def _end_of_arithmetic(self, at: int, end: int) -> int:
        if self.text.startswith("))", at):
            return self._close(at, at + 2)
        start = self.stack[-1].start
        self.restarts += 1
        if self.restarts > _RESTARTS:
            return self._close(at, at + 1)
        self.stack.pop()
        self.no_arithmetic.add(start)
        self.source.arithmetics.discard(start)
        return start

    def _end_of_index(self, at: int, end: int, token: str) -> int:
        frame = self.stack[-1]
        if not frame.nest:
            return self._close(at, at + 1)
        frame.nest.pop()
        return at + 1

    def _bracket(self, at: int, end: int, token: str) -> int:
        self.stack[-1].nest.append("[")
        return at + 1

    def _end_of_braces(self, at: int, end: int, token: str) -> int:
        return self._close(at, at + 1)

    def _case(self, at: int, end: int, token: str) -> int:
        if self._is_word(at, at + 4) and self._begins_command(at):
            self.stack[-1].nest.append("case")
        return at + 4

    def _esac(self, at: int, end: int, token: str) -> int:
        nest = self.stack[-1].nest
        if nest and nest[-1] == "case" and self._is_word(at, at + 4) and self._begins_command(at):
            nest.pop()
        return at + 4

    def _is_word(self, start: int, end: int) -> bool:
        around = (self.text[max(0, start - 1) : start], self.text[end : end + 1])
        return all(not each or each in _BETWEEN_WORDS for each in around)

    def _begins_command(self, at: int) -> bool:
        return _COMMAND_BEGINS.search(self.text[max(0, at - 40) : at]) is not None


_Token = Callable[[Lexer, int, int, str], int]
_TOKENS: dict[str, _Token] = {
    "'": Lexer._single,
    '"': Lexer._quote,
    '$"': Lexer._quote,
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
    "]": Lexer._end_of_index,
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
