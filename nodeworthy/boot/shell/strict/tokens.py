"""The tokens of bash: what a word is, and whether a word is a keyword, follows from the token before."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import NamedTuple

from nodeworthy.boot.shell.strict.quoting import NotTold, Quoting
from nodeworthy.patterns import pattern

WORD, ASSIGNMENT, NEWLINE, END, ARITHMETIC, NUMBER = "word", "assignment", "newline", "end", "arithmetic", "number"
KEYWORDS = frozenset(
    "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc".split()
)
REDIRECTIONS = frozenset("< > >> << <<- <<< <& >& <> >| &> &>>".split())
# Behind these a keyword is one.
_BEHIND = "; ( ) | & { } && || ! |& do done elif else esac fi if ;; ;& ;;& then time coproc until while ]]".split()
_BEFORE_KEYWORD = frozenset(("", NEWLINE, ARITHMETIC, *_BEHIND))
_DECLARES = frozenset("alias eval declare typeset let local export readonly".split())
_BLANKS = pattern(r"(?:[ \t]|\\\n)*")
_OPERATORS = pattern(r"&&|&>>|&>|&|\|\||\|&|\||;;&|;;|;&|;|<<<|<<-|<<|<&|<>|<|>>|>&|>\||>|\(|\)")
# Up to what ends a word, or means more than itself in one.
_PLAIN = pattern(r"[^ \t\n|&;()<>\"'`$\\?*+@!\[=]+")
_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_TARGET = pattern(r"[A-Za-z_][A-Za-z0-9_]*(?:\[.*\])?\+?\Z", re.DOTALL)
_DESCRIPTOR = pattern(r"(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})\Z")
_META = frozenset(" \t\n|&;()<>")
_BEGIN_OPERATORS = _META - frozenset(" \t\n")
# Blanks, a line that goes on, a comment.
_BEFORE_TOKENS = frozenset(" \t\\#")
# A `((` that is no arithmetic is read once more: nobody writes this many.
MOST_RESTARTS = 200


class Token(NamedTuple):
    kind: str
    start: int
    end: int


class Tokens(Quoting):
    def __init__(self, text: str, *, extglob: bool = False) -> None:
        super().__init__(text)
        self.extglob = extglob
        self.last = self.before_last = ""
        self.in_pattern = False  # between `in` or `;;` and `)` of a case
        self.declares = False
        self.heredocs: list[tuple[str, bool]] = []
        self.ahead: Token | None = None
        self.restarts = 0

    @abstractmethod
    def compound_assignment(self) -> None:
        """What stands in `NAME=(…)`."""

    @property
    def token(self) -> Token:
        if self.ahead is None:
            self.ahead = self._read()
            self.before_last, self.last = self.last, self.ahead.kind
        return self.ahead

    @property
    def kind(self) -> str:
        ahead = self.ahead
        return (self.token if ahead is None else ahead).kind

    def take(self) -> Token:
        token = self.token
        self.ahead = None
        return token

    def written(self, start: int, end: int) -> str:
        """The word as bash reads it: a backslash before the end of a line is no part of it."""
        return self.text[start:end].replace("\\\n", "")

    def skip_blanks(self) -> None:
        if self.at < self.end and self.text[self.at] not in _BEFORE_TOKENS:
            return
        found = _BLANKS.match(self.text, self.at)
        self.at = found.end() if found is not None else self.at
        if self.text.startswith("#", self.at):
            line_end = self.text.find("\n", self.at)
            self.at = self.end if line_end < 0 else line_end

    def _read(self) -> Token:
        self.skip_blanks()
        start = self.at
        if start >= self.end:
            return Token(END, start, start)
        char = self.text[start]
        if char == "\n":
            self.at += 1
            self._heredoc_bodies()
            self.declares = False
            return Token(NEWLINE, start, start)
        operator = _OPERATORS.match(self.text, start) if char in _BEGIN_OPERATORS else None
        if operator is not None and not (operator.group() in "<>" and self.text.startswith("(", start + 1)):
            return self._operator(operator.group(), start)
        return self._word(start)

    def operator_at(self, at: int) -> str:
        found = _OPERATORS.match(self.text, at)
        return found.group() if found is not None else self.text[at : at + 1]

    def _operator(self, operator: str, start: int) -> Token:
        if operator == "(" and self.text.startswith("((", start) and self._arithmetic(start):
            return Token(ARITHMETIC, start, self.at)
        self.at = start + len(operator)
        self.declares = self.declares and operator in REDIRECTIONS
        return Token(operator, start, self.at)

    def _arithmetic(self, start: int) -> bool:
        if not (self.keywords_fit() or self.last == "for"):
            return False
        self.at = start + 2
        self.pair("(", ")")
        if self.text.startswith(")", self.at):
            self.at += 1
            return True
        self.restarts += 1
        if self.restarts > MOST_RESTARTS:
            raise NotTold
        return False

    def keywords_fit(self) -> bool:
        if self.last in _BEFORE_KEYWORD:
            return True
        return self.last == WORD and self.before_last in ("coproc", "function")

    def _word(self, start: int) -> Token:
        assigns = (self.keywords_fit() and not self.in_pattern) or self.last == ASSIGNMENT or self.declares
        is_assignment = self.characters(start, assigns=assigns, indexes=assigns and not self.declares)
        text = self.written(start, self.at)
        operator = _OPERATORS.match(self.text, self.at) if self.text.startswith(("<", ">"), self.at) else None
        if operator is not None and _DESCRIPTOR.match(text):
            if self.last not in REDIRECTIONS:
                return self._operator(operator.group(), self.at)
            return Token(WORD if self.last in (">&", "<&") else NUMBER, start, self.at)
        if text in KEYWORDS and self._is_keyword(text):
            return Token(text, start, self.at)
        if is_assignment and assigns:
            return Token(ASSIGNMENT, start, self.at)
        self.declares = self.declares or (text in _DECLARES and assigns)
        return Token(WORD, start, self.at)

    def _is_keyword(self, word: str) -> bool:
        if self.last == WORD and self.before_last in ("for", "case", "select") and word == "in":
            return True
        if self.last == WORD and self.before_last in ("for", "select") and word == "do":
            return True
        if self.in_pattern:
            return word == "esac" and self.last in ("in", NEWLINE, ";;", ";&", ";;&")
        return self.keywords_fit()

    def characters(self, start: int, *, assigns: bool = False, indexes: bool = False, regex: bool = False) -> bool:
        """Over the characters of a word. Whether it is an assignment; an index of an array may hold any of them."""
        is_assignment = False
        while self.at < self.end:
            plain = _PLAIN.match(self.text, self.at)
            if plain is not None:
                self.at = plain.end()
                continue
            char, behind = self.text[self.at], self.text[self.at + 1 : self.at + 2]
            if char in "<>" and behind == "(":
                self.at += 1
                self.expansion("(") if not self.text.startswith("((", self.at) else self._process(self.at)
            elif regex and char in "(|":
                self._of_regex(char)
            elif char in _META:
                break
            elif char == "=" and assigns and not is_assignment and _TARGET.match(self.text[start : self.at]):
                self.at += 1
                is_assignment = True
                if behind == "(":
                    self.at += 1
                    self.compound_assignment()
            else:
                self._character(char, behind, start, indexes=indexes and not is_assignment)
        return is_assignment

    def _process(self, at: int) -> None:
        self.at = at + 1
        self.commands_until_parenthesis()

    def _of_regex(self, char: str) -> None:
        self.at += 1
        if char == "(":
            self.pair("(", ")")

    def _character(self, char: str, behind: str, start: int, *, indexes: bool) -> None:
        self.at += 1
        if char == "\\":
            self.at = min(self.at + 1, self.end)
        elif char == "'":
            self.single()
        elif char in ('"', "`"):
            self.pair(char, char)
        elif char == "$":
            self._dollar(behind)
        elif char == "[" and indexes and _NAME.match(self.text[start : self.at - 1]):
            self.pair("[", "]")
        elif behind == "(" and self.extglob and char in "?*+@!":
            self.at += 1
            self.pair("(", ")")

    def _dollar(self, behind: str) -> None:
        if behind and behind in "({[":
            self.expansion(behind)
        elif behind == "'":
            self.at += 1
            self.ansi()
        elif behind == '"':
            self.at += 1
            self.pair('"', '"')
        elif behind == "$":
            self.at += 1

    def announce(self, word: Token, *, strips: bool) -> None:
        self.heredocs.append((_unquoted(self.text[word.start : word.end]), strips))

    def _heredoc_bodies(self) -> None:
        """The lines that belong to the heredocs of the line before; where none ends it, all that is left."""
        pending, self.heredocs = self.heredocs, []
        for delimiter, strips in pending:
            while self.at < self.end:
                line_end = self.text.find("\n", self.at)
                line_end = self.end if line_end < 0 else line_end
                line, self.at = self.text[self.at : line_end], min(line_end + 1, self.end)
                if (line.lstrip("\t") if strips else line) == delimiter:
                    break


def _unquoted(word: str) -> str:
    found: list[str] = []
    quote = ""
    chars = iter(word)
    for char in chars:
        if char == "\\" and quote != "'":
            found.append(next(chars, ""))
        elif char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        elif not (char == "$" and not quote and found == [] and word[1:2] in ("'", '"')):
            found.append(char)
    return "".join(found)
