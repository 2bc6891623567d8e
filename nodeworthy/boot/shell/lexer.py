"""Finds in one pass where quotes, substitutions, tests, arrays, comments and heredocs begin and end.

What it leaves of the commands are plain words, operators and keywords: the rest is crossed out, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from nodeworthy.boot.shell.frames import CROSSED, RESTARTS, Frame, Frames, body_of, heredoc_announcement
from nodeworthy.boot.shell.source import DEEPEST, Source
from nodeworthy.patterns import pattern

# What opens something: quotes, escapes, everything behind a dollar, arrays and extended globs.

_SINGLE = pattern(r"[^']*+'")
_ANSI = pattern(r"(?:[^'\\]++|\\.)*+'", re.DOTALL)
# Double quotes in which nothing is opened: they end at the next one.
_QUOTED = pattern(r"(?:[^\"\\`$]++|\\.|\$(?![$({\[]))*+\"", re.DOTALL)
_BACKTICKS = pattern(r"(?:[^`\\]++|\\.)*+`", re.DOTALL)
_BEFORE_COMMANDS = frozenset("\n;&|(){`")
_WORDS_BEFORE_COMMANDS = ("!", "then", "do", "else", "elif", "if", "while", "until", "time", "for", "in")
_IS_A_WORD = pattern(rf"(?:^|[\s;&|(){{])(?:{'|'.join(_WORDS_BEFORE_COMMANDS)})\Z")
BETWEEN_WORDS = frozenset(" \t\n;&|()<>")


class Openings(Frames):
    def escape(self, start: int, end: int) -> int:
        if not self.text.startswith("\n", start + 1):
            return self.cross(start, end)
        around = self.text[start - 1 : start] + self.text[end : end + 1]
        in_word = len(around) == 2 and not any(each in BETWEEN_WORDS for each in around)
        return self.cross(start, end, CROSSED if in_word else " ")

    def single(self, at: int) -> int:
        return self.leaf(_SINGLE, at, at + 1)

    def ansi(self, at: int) -> int:
        return self.leaf(_ANSI, at, at + 2)

    def backticks(self, at: int) -> int:
        return self.leaf(_BACKTICKS, at, at + 1)

    def quote(self, at: int) -> int:
        if self.stack[-1].kind == "quotes":
            return self.close(at, at + 1)
        found = _QUOTED.match(self.text, at + 1, self.end)
        return self.open("quotes", at, at + 1) if found is None else self.whole(at, found.end())

    def dollar_quote(self, at: int) -> int:
        return self.open("quotes", at, at + 2)

    def process_id(self, at: int) -> int:
        return self.cross(at, at + 2)

    def dollar_arithmetic(self, at: int) -> int:
        if at in self.no_arithmetic:
            self.source.is_doubtful = True
            return self.open("commands", at, at + 2)
        return self.open("arithmetic", at, at + 3)

    def substitution(self, at: int) -> int:
        return self.open("commands", at, at + 2)

    def process(self, at: int) -> int:
        """`<(…)`: what stands before it may make another operator of it."""
        if self.text.startswith("(", at + 2) or self.text[at - 1] in "<>&|":
            self.source.is_doubtful = True
        return self.substitution(at)

    def braces(self, at: int) -> int:
        quoted = self.stack[-1].kind in ("quotes", "body", "quoted braces")
        return self.open("quoted braces" if quoted else "braces", at, at + 2)

    def end_of_braces(self, at: int) -> int:
        # To bash it is a quotation in there as well.
        frame = self.stack[-1]
        if frame.kind == "quoted braces" and self.text.find("'", frame.start, at) >= 0:
            self.source.is_doubtful = True
        return self.close(at, at + 1)

    def dollar_index(self, at: int) -> int:
        self.source.is_doubtful = True
        return self.open("index", at, at + 2)

    def array(self, at: int) -> int:
        before = self.text[at - 1 : at]
        if not (before.isalnum() or before in ("_", "]", "+")):
            return at + 1
        self.source.arrays.add(at + 1)
        return self.open("list", at + 1, at + 2)

    def glob(self, at: int) -> int:
        return self.open("list", at, at + 2)

    def no_glob(self, at: int) -> int:
        return at + 1 if self.begins_command(at) else self.glob(at)

    def is_word(self, start: int, end: int) -> bool:
        around = (self.text[max(0, start - 1) : start], self.text[end : end + 1])
        return all(not each or each in BETWEEN_WORDS for each in around)

    def begins_command(self, at: int) -> bool:
        before = self.text[max(0, at - 40) : at].rstrip(" \t")
        if not before or before[-1] in _BEFORE_COMMANDS:
            return True
        return before.endswith(_WORDS_BEFORE_COMMANDS) and _IS_A_WORD.search(before) is not None


_ANYWHERE = r"\\.|\"|`|\$\$|\$\(\(|\$[({\[]"
_UNQUOTED = rf"{_ANYWHERE}|'|\$['\"]"
_LIST = rf"{_UNQUOTED}|#|<\(|>\(|\(|\)"
_COMMANDS = rf"{_UNQUOTED}|#|<<[<-]?|<\(|>\(|=\(|@\(|\?\(|\*\(|\+\(|!\(|\(\(|\(|\)|\[\[|case|esac"
_FIND = {
    kind: pattern(every, re.DOTALL)
    for kind, every in {
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
_BLANKS = frozenset(" \t\n")
_DELIMITER = pattern(r"(['\"]?)[A-Za-z_][\w.-]*\1")


class Lexer(Openings):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.bodies = 0

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
                at = self.escape(*found.span()) if read is None else read(self, found.start())
            elif len(stack) > 1:
                at = self.unclosed(stack[1].start)
            elif self.pending:
                at = self._newline(end)
            else:
                return stack[0]

    def _comment(self, at: int) -> int:
        if at > 0 and self.text[at - 1] not in BETWEEN_WORDS:
            return at + 1
        line_end = self.text.find("\n", at, self.end)
        return self.cross(at, line_end if line_end >= 0 else self.end, " ")

    def _here_string(self, at: int) -> int:
        return at + 3

    def _heredoc(self, at: int) -> int:
        length = 3 if self.text.startswith("-", at + 2) else 2
        found = heredoc_announcement(self.text, at, length, self.end)
        if found is None:
            self.source.is_doubtful = True
            return at + length
        here, word, end = found
        if len(self.stack) > 1 or not _DELIMITER.fullmatch(self.text, word, end):
            self.source.is_doubtful = True
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
            if body.goes_on or len(stack) > 1:
                self.source.is_doubtful = True
            if not body.quoted and self.bodies < DEEPEST:
                self.bodies += 1
                self._scan("body", body.start, body.end)
                self.bodies -= 1
        self.stack, self.end, self.pending = stack, end, []
        return self.cross(behind, start, " ")

    def _double_bracket(self, at: int) -> int:
        behind = self.text[at + 2 : at + 3]
        if behind not in _BLANKS or not self.begins_command(at):
            return at + 2
        self.source.tests.add(at)
        return self.open("test", at, at + 2)

    def _end_of_test(self, at: int) -> int:
        behind = self.text[at + 2 : at + 3]
        if self.text[at - 1] not in _BLANKS or (behind and behind not in BETWEEN_WORDS):
            return at + 1
        return self.close(at, at + 2)

    def _double_parenthesis(self, at: int) -> int:
        self.source.is_doubtful = True
        if at in self.no_arithmetic or not self.begins_command(at):
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
        if self.is_word(at, at + 4) and self.begins_command(at):
            self.stack[-1].nest.append("case")
            # In a substitution, which of its parentheses ends it.
            self.source.is_doubtful = self.source.is_doubtful or len(self.stack) > 1
        return at + 4

    def _esac(self, at: int) -> int:
        nest = self.stack[-1].nest
        if nest and nest[-1] == "case" and self.is_word(at, at + 4) and self.begins_command(at):
            nest.pop()
        return at + 4


_TOKENS: dict[str, Callable[[Lexer, int], int]] = {
    "'": Lexer.single,
    '"': Lexer.quote,
    '$"': Lexer.dollar_quote,
    "$'": Lexer.ansi,
    "`": Lexer.backticks,
    "$$": Lexer.process_id,
    "$((": Lexer.dollar_arithmetic,
    "$(": Lexer.substitution,
    "<(": Lexer.process,
    ">(": Lexer.process,
    "${": Lexer.braces,
    "}": Lexer.end_of_braces,
    "$[": Lexer.dollar_index,
    "[": Lexer._bracket,
    "]": Lexer._end_of_bracket,
    "#": Lexer._comment,
    "<<": Lexer._heredoc,
    "<<-": Lexer._heredoc,
    "<<<": Lexer._here_string,
    "\n": Lexer._newline,
    "=(": Lexer.array,
    "@(": Lexer.glob,
    "?(": Lexer.glob,
    "*(": Lexer.glob,
    "+(": Lexer.glob,
    "!(": Lexer.no_glob,
    "[[": Lexer._double_bracket,
    "]]": Lexer._end_of_test,
    "((": Lexer._double_parenthesis,
    "(": Lexer._parenthesis,
    ")": Lexer._end_of_parenthesis,
    "case": Lexer._case,
    "esac": Lexer._esac,
}
