"""Where quotes, expansions and substitutions end, or that they never do."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from nodeworthy.patterns import pattern

# Deeper than this nobody nests, and we would not come back.
DEEPEST = 60


class BashRefusal(Exception):
    """Bash can't read on: its words, where it says them, and what it had read up to then."""

    def __init__(self, words: str, at: int, read: int) -> None:
        super().__init__(words)
        self.words, self.at, self.read = words, at, read


class NotTold(Exception):
    """Too deep or too tangled to say what bash would."""


_SPECIAL = {
    ('"', '"'): pattern(r"[\\\"`$]"),
    ("`", "`"): pattern(r"[\\`]"),
    ("{", "}"): pattern(r"[\\\"'`$}]"),
    ("[", "]"): pattern(r"[\\\"'`$\[\]]"),
    ("(", ")"): pattern(r"[\\\"'`$()]"),
}
_ANSI_END = re.compile(r"(?:[^\\']|\\.)*'", re.DOTALL)


class Quoting(ABC):
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.at = 0
        self.depth = 0

    @abstractmethod
    def commands_until_parenthesis(self) -> None:
        """What stands in `$(…)`."""

    def refuse(self, words: str, at: int | None = None) -> BashRefusal:
        return BashRefusal(words, self.at if at is None else at, self.at)

    def unclosed(self, close: str, start: int) -> BashRefusal:
        return BashRefusal(f"unexpected EOF while looking for matching `{close}'", start, self.end)

    def single(self) -> None:
        """Reads from after the opening quote, as all of these do."""
        found = self.text.find("'", self.at)
        if found < 0:
            raise self.unclosed("'", self.at - 1)
        self.at = found + 1

    def ansi(self) -> None:
        found = _ANSI_END.match(self.text, self.at)
        if found is None:
            raise self.unclosed("'", self.at - 1)
        self.at = found.end()

    def pair(self, opens: str, closes: str) -> None:
        start, count = self.at - 1, 1
        search = _SPECIAL[opens, closes].search
        self._deeper()
        while True:
            found = search(self.text, self.at)
            if found is None:
                raise self.unclosed(closes, start)
            char = found.group()
            self.at = found.end()
            if char == "\\":
                self.at += 1
            elif char == closes:
                count -= 1
                if not count:
                    break
            elif char == "$":
                self._behind_dollar(opens)
            elif char == opens:
                count += 1
            else:
                self._inside(char)
        self.depth -= 1

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotTold

    def _behind_dollar(self, opens: str) -> None:
        following = self.text[self.at : self.at + 1]
        if following in ("(", "{", "[") and following:
            self.expansion(following)
        elif following == "$":
            self.at += 1
        elif following == "'" and opens != '"':
            self.at += 1
            self.ansi()

    def _inside(self, char: str) -> None:
        if char == "'":
            self.single()
        else:
            self.pair(char, char)

    def expansion(self, following: str) -> None:
        """`${…}`, `$[…]`, `$((…))` or `$(…)`, from the character behind the dollar on."""
        self.at += 1
        if following == "{":
            self.pair("{", "}")
        elif following == "[":
            self.pair("[", "]")
        elif self.text.startswith("(", self.at):
            self.pair("(", ")")
        else:
            self._deeper()
            self.commands_until_parenthesis()
            self.depth -= 1
