"""What opens something: quotes, escapes, everything behind a dollar, arrays and extended globs."""

from __future__ import annotations

import re

from nodeworthy.boot.shell.frames import CROSSED, Frames
from nodeworthy.patterns import pattern

_SINGLE = pattern(r"[^']*+'")
_ANSI = pattern(r"(?:[^'\\]++|\\.)*+'", re.DOTALL)
# Double quotes in which nothing is opened: they end at the next one.
_QUOTED = pattern(r"(?:[^\"\\`$]++|\\.|\$(?![$({\[]))*+\"", re.DOTALL)
_BACKTICKS = pattern(r"(?:[^`\\]++|\\.)*+`", re.DOTALL)
_COMMAND_BEGINS = pattern(
    r"(?:^|[\n;&|(){`]|(?:^|[\s;&|(){])(?:!|then|do|else|elif|if|while|until|time|for|in))[ \t]*\Z"
)
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
            return self.open("commands", at, at + 2)
        return self.open("arithmetic", at, at + 3)

    def substitution(self, at: int) -> int:
        return self.open("commands", at, at + 2)

    def braces(self, at: int) -> int:
        quoted = self.stack[-1].kind in ("quotes", "body", "quoted braces")
        return self.open("quoted braces" if quoted else "braces", at, at + 2)

    def end_of_braces(self, at: int) -> int:
        return self.close(at, at + 1)

    def dollar_index(self, at: int) -> int:
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
        return _COMMAND_BEGINS.search(self.text[max(0, at - 40) : at]) is not None
