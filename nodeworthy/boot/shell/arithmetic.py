"""The shell's arithmetic: `$((…))`, `((…))`, `let`, as far as its numbers are known."""

from __future__ import annotations

from collections.abc import Callable

from nodeworthy.boot.shell.state import State
from nodeworthy.boot.text import Hole, Text
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field

_TOKEN = pattern(r"\s*(\d+|\$?\w+|\$\{\w+\}|\+\+|--|[-+*/%]=|&&|\|\||[=!<>]=|[-+*/%()<>=!,])")
# How strong an operator binds, and what it comes to.
_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (0, lambda a, b: int(bool(a or b))),
    "&&": (1, lambda a, b: int(bool(a and b))),
    "==": (2, lambda a, b: int(a == b)),
    "!=": (2, lambda a, b: int(a != b)),
    "<": (3, lambda a, b: int(a < b)),
    ">": (3, lambda a, b: int(a > b)),
    "<=": (3, lambda a, b: int(a <= b)),
    ">=": (3, lambda a, b: int(a >= b)),
    "+": (4, lambda a, b: a + b),
    "-": (4, lambda a, b: a - b),
    # Towards zero, as in C.
    "*": (5, lambda a, b: a * b),
    "/": (5, lambda a, b: int(a / b)),
    "%": (5, lambda a, b: a - b * int(a / b)),
}
_NUMBER = pattern(r"-?(0|[1-9]\d{0,11})")
_ASSIGNS = pattern(r"(?:\+\+|--)\s*(\w+)|(?<!\w)([A-Za-z_]\w*+)\s*+(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))")
# What is larger is nobody's counter.
_LARGEST, _LONGEST, _DEEPEST = 1 << 40, 500, 20


class NotReckoned(Exception):
    """The expression holds something that is not known, or not read."""


def reckon(text: str, state: State) -> int | None:
    """What an expression comes to; what it assigns is assigned. None where that is not known: then what it assigns
    is not known either."""
    text = text.strip()
    try:
        if len(text) > _LONGEST:
            raise NotReckoned
        reckoning = _Reckoning(_tokens(text), state)
        value = reckoning.whole()
    except (NotReckoned, ZeroDivisionError, RecursionError):
        forget(text, state)
        return None
    for name, number in reckoning.assigned.items():
        state.set(name, Text((str(number),)))
    return value


def forget(text: str, state: State) -> None:
    """Every variable that an expression assigns is not known any more."""
    for found in _ASSIGNS.finditer(text):
        name = found[1] or found[2]
        state.set(name, Text((Hole(f"${name}", f"{name} is reckoned on the node"),)))


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            if text[at:].strip():
                raise NotReckoned
            break
        tokens.append(found[1])
        at = found.end()
    return tokens


@dataclass
class _Reckoning:
    tokens: list[str]
    state: State
    assigned: dict[str, int] = field(default_factory=dict)
    at: int = 0
    depth: int = 0

    def whole(self) -> int:
        value = self._assignment()
        while self._takes(","):
            value = self._assignment()
        if self.at != len(self.tokens):
            raise NotReckoned
        return value

    def _assignment(self) -> int:
        name, operator = self._peek(0), self._peek(1)
        if name.isidentifier() and operator in ("=", "+=", "-=", "*=", "/=", "%="):
            self.at += 2
            value = self._assignment()
            if operator != "=":
                _, reckoned = _BINARY[operator[0]]
                value = reckoned(self._value(name), value)
            return self._assign(name, value)
        return self._binary(0)

    def _binary(self, weakest: int) -> int:
        """The value with all operators that follow and bind at least this strongly."""
        value = self._unary()
        while (token := self._peek(0)) in _BINARY:
            strength, reckoned = _BINARY[token]
            if strength < weakest:
                break
            self.at += 1
            value = reckoned(value, self._binary(strength + 1))
        return value

    def _unary(self) -> int:
        token = self._next()
        if token in ("-", "+", "!"):
            value = self._unary()
            return {"-": -value, "+": value, "!": int(not value)}[token]
        if token in ("++", "--"):
            name = self._next()
            return self._assign(name, self._value(name) + (1 if token == "++" else -1))
        if token == "(":
            return self._inside()
        value = self._value(token)
        if self._peek(0) in ("++", "--"):
            self._assign(token, value + (1 if self._next() == "++" else -1))
        return value

    def _inside(self) -> int:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotReckoned
        value = self._assignment()
        if not self._takes(")"):
            raise NotReckoned
        self.depth -= 1
        return value

    def _value(self, token: str) -> int:
        if token.isdigit():
            if len(token) > 12 or (token.startswith("0") and token != "0"):
                raise NotReckoned  # octal
            return int(token)
        name = token.strip("${}")
        if name in self.assigned:
            return self.assigned[name]
        if not name.isidentifier():
            raise NotReckoned
        value = self.state.value(name)
        known = value.known if isinstance(value, Text) else None
        if known is None or _NUMBER.fullmatch(known) is None:
            raise NotReckoned
        return int(known)

    def _assign(self, name: str, value: int) -> int:
        if not name.isidentifier() or abs(value) > _LARGEST:
            raise NotReckoned
        self.assigned[name] = value
        return value

    def _peek(self, ahead: int) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def _next(self) -> str:
        token = self._peek(0)
        if not token:
            raise NotReckoned
        self.at += 1
        return token

    def _takes(self, token: str) -> bool:
        if self._peek(0) != token:
            return False
        self.at += 1
        return True
