"""What is asked inside of `[[ … ]]`, `[ … ]` and behind `test`."""

from __future__ import annotations

from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.source import DEEPEST, NotReadable
from nodeworthy.boot.shell.syntax import Binary, Both, Negated, Opaque, TestExpression, Unary, Word
from nodeworthy.patterns import pattern

_UNARY = pattern(r"-[a-hknoprstuvwxzGLNORS]")
_BINARY = frozenset("= == != =~ < > -eq -ne -lt -le -gt -ge -nt -ot -ef \\< \\> '<' '>' \"<\" \">\"".split())
_TOKEN = pattern(r"&&|\|\||[()<>&|]|[^ \t\n()&|<>]+")
_PATTERN_ENDS = pattern(r"[() \t\n]")
_OPERAND = r"[^\s()<>&|;!#]+"
_FIRST = rf"(?!-){_OPERAND}"
_OPERATOR = r"(?:==?|!=|=~|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)"
_TERM = rf"(?:![ \t]+)?(?:-[abcdefghknoprstuvwxzGLNORS][ \t]+{_OPERAND}|{_FIRST}(?:[ \t]+{_OPERATOR}[ \t]+{_OPERAND})?)"
_PLAIN = pattern(rf"[ \t]+{_TERM}(?:[ \t]+(?:&&|\|\|)[ \t]+{_TERM})*[ \t]+")
_AND = {"&&": "&&", "-a": "&&"}
_OR = {"||": "||", "-o": "||"}


class Brackets:
    """A test by its words; `doubled` ones know `&&`, `||` and bare parentheses."""

    def __init__(self, words: list[Word], doubled: bool) -> None:
        self.words, self.at, self.depth = words, 0, 0
        self.both = frozenset(("&&", "||")) if doubled else frozenset(("-a", "-o"))
        self.opening: tuple[str, ...] = ("(",) if doubled else ("\\(", "'('", '"("')
        self.closing: tuple[str, ...] = (")",) if doubled else ("\\)", "')'", '")"')

    def read(self) -> TestExpression:
        if not self.words:
            raise NotReadable
        expression = self._or()
        if self.at < len(self.words):
            raise NotReadable
        return expression

    def _peek(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.words[at].raw if at < len(self.words) else ""

    def _or(self) -> TestExpression:
        left = self._and()
        while self._peek() in self.both and self._peek() in _OR:
            self._next()
            left = Both(left, "||", self._and())
        return left

    def _and(self) -> TestExpression:
        left = self._term()
        while self._peek() in self.both and self._peek() in _AND:
            self._next()
            left = Both(left, "&&", self._term())
        return left

    def _next(self) -> Word:
        if self.at >= len(self.words):
            raise NotReadable
        self.at += 1
        # Long chains are as deep as nested ones for whoever reads them.
        if self.at > DEEPEST * 10:
            raise NotReadable
        return self.words[self.at - 1]

    def _term(self) -> TestExpression:
        self.depth += 1
        if self.depth > DEEPEST * 2:
            raise NotReadable
        ahead = self._peek(1)
        if ahead in _BINARY and self._peek(2):
            return self._binary()
        if self._peek() == "!" and ahead:
            self._next()
            return Negated(self._term())
        if self._peek() in self.opening and ahead:
            return self._parenthesized()
        if _UNARY.fullmatch(self._peek()) and ahead and ahead not in self.both | set(self.closing):
            operator = self._next().raw
            return Unary(operator, self._next())
        return self._next()

    def _binary(self) -> TestExpression:
        left, operator, right = self._next(), self._next(), self._next()
        return Binary(left, operator.raw.strip("\\'\""), right)

    def _parenthesized(self) -> TestExpression:
        self._next()
        inside = self._or()
        if self._peek() not in self.closing:
            raise NotReadable
        self._next()
        return inside


def parse_test(words: list[Word], raw: str, doubled: bool) -> TestExpression:
    try:
        return Brackets(words, doubled).read()
    except NotReadable:
        return Opaque(raw)


def bracket_words(pieces: Pieces, base: int, inside: str) -> list[Word]:
    """The words and operators between double brackets; a pattern is one word, whatever it holds."""
    words: list[Word] = []
    at = 0
    while (found := _TOKEN.search(inside, at)) is not None:
        start, at = found.span()
        if words and words[-1].raw in ("=~", "==", "=", "!="):
            at = _pattern_end(inside, start)
        words.append(pieces.word(base + start, base + at))
    return words


def is_plain_test(inside: str) -> bool:
    """Whether bash can't take it for anything else."""
    return _PLAIN.fullmatch(inside) is not None


def _pattern_end(inside: str, start: int) -> int:
    """A pattern or a regular expression ends at a blank outside of its parentheses."""
    depth = 0
    for found in _PATTERN_ENDS.finditer(inside, start):
        each, at = found.group(), found.start()
        if each == "(":
            depth += 1
        elif each == ")":
            depth -= 1
            if depth < 0:
                return at
        elif depth == 0:
            return at
    return len(inside)
