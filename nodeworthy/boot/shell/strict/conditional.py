"""`[[ … ]]`, whose words bash reads by a grammar of its own."""

from __future__ import annotations

from nodeworthy.boot.shell.strict.quoting import BashRefusal
from nodeworthy.boot.shell.strict.tokens import END, NEWLINE, WORD, Token, Tokens
from nodeworthy.patterns import pattern

_UNARY = pattern(r"-[abcdefghknoprstuvwxzGLNORS]\Z")
_BINARY = frozenset("= == != =~ < > -nt -ot -ef -eq -ne -lt -le -gt -ge".split())
_ENDS = frozenset(("]]", "&&", "||", ")"))


class Conditional(Tokens):
    def condition(self) -> None:
        """Reads from after `[[` up to `]]`."""
        start = self.at
        self._either(start)
        token = self._next()
        if token.kind != "]]":
            found = self._error(token, start, "syntax error in conditional expression{: unexpected token `X'}")
            raise BashRefusal(found.words, start, found.read)
        self.last, self.before_last = "]]", WORD

    def _either(self, start: int) -> None:
        while True:
            self._term(start)
            held = self.at
            if self._next().kind not in ("&&", "||"):
                self.at = held
                return

    def _term(self, start: int) -> None:
        self._deeper()
        held = self.at
        token = self._next()
        text = self.written(token.start, token.end)
        if token.kind == "]]":
            self.at = held
        elif token.kind == "(":
            self._either(start)
            if self._next().kind != ")":
                raise self.refuse("expected `)'")
        elif text == "!":
            self._term(start)
        elif token.kind != WORD:
            raise self._error(token, start, "unexpected token {`X' }in conditional command")
        elif _UNARY.match(text):
            self._takes_one(start)
        else:
            self._compared(start)
        self.depth -= 1

    def _takes_one(self, start: int) -> None:
        token = self._next(newlines=False)
        if token.kind != WORD:
            raise self._error(token, start, "unexpected argument {`X' }to conditional unary operator")

    def _compared(self, start: int) -> None:
        held = self.at
        token = self._next(newlines=False)
        operator = self.written(token.start, token.end)
        if token.kind in _ENDS:
            self.at = held
            return
        if operator not in _BINARY:
            raise self._error(token, start, "{unexpected token `X', }conditional binary operator expected")
        kept, self.extglob = self.extglob, operator in ("=", "==", "!=") or self.extglob
        right = self._next(regex=operator == "=~", newlines=False)
        self.extglob = kept
        if right.kind != WORD:
            raise self._error(right, start, "unexpected argument {`X' }to conditional binary operator")

    def _next(self, *, regex: bool = False, newlines: bool = True) -> Token:
        self.skip_blanks()
        while newlines and self.text.startswith("\n", self.at):
            self.at += 1
            self.skip_blanks()
        at = self.at
        if at >= self.end:
            return Token(END, at, at)
        operator = "\n" if self.text[at] == "\n" else self.operator_at(at)
        is_word = operator[0] not in "\n;&|()<>" or (regex and operator[0] in "(|")
        if not is_word and not (operator in "<>" and self.text.startswith("(", at + 1)):
            self.at = at + len(operator)
            return Token(NEWLINE if operator == "\n" else operator, at, self.at)
        self.characters(at, regex=regex)
        return Token("]]" if self.written(at, self.at) == "]]" else WORD, at, self.at)

    def _error(self, token: Token, start: int, words: str) -> BashRefusal:
        """What stands in braces is said of an operator, and not of a word."""
        if token.kind == END:
            return BashRefusal("unexpected EOF while looking for `]]'", start, self.end)
        shown = "newline" if token.kind == NEWLINE else self.text[token.start : token.end]
        before, _, rest = words.partition("{")
        extra, _, after = rest.partition("}")
        said = extra.replace("X", shown) if token.kind != WORD else ""
        return BashRefusal(f"{before}{said}{after}", token.start, self.at)
