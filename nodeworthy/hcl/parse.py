"""Parses HCL: one pattern for tokens, a descent for bodies and expressions.

Newlines end what stands in a body or an object, and mean nothing inside brackets. Terraform's own parser has the last
word on what is HCL (tests/real); this one is as strict where strictness decides what a text means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NoReturn, TypeVar

from nodeworthy.hcl.arithmetic import NoNumber, number
from nodeworthy.hcl.source import File, Malformed
from nodeworthy.hcl.syntax import (
    Attribute,
    Binary,
    Block,
    Body,
    Call,
    Comprehension,
    Conditional,
    Each,
    Expression,
    Index,
    Literal,
    Name,
    Object,
    Setting,
    Splat,
    Template,
    Tuple,
    Unary,
)
from nodeworthy.limits import HCL_DEEPEST, HCL_LONGEST_CHAIN
from nodeworthy.patterns import pattern

_COMMENT = r"(?:#|//)[^\n]*|/\*[\s\S]*?\*/"
_TOKEN = (
    r"(?:(?P<word>[^\W\d][\w-]*)"
    r'|"(?P<text>[^"\\$%\n]*)"'
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||=>|\.\.\.|::|<<-?[^\W\d][\w-]*[ \t\r]*\n|[-+*/%<>!?:=.,()\[\]{}~])"
    r"|(?P<line>\n)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r'|(?P<quote>")'
    r"|(?P<end>\Z))"
)
_IN_LINES = pattern(rf"(?:[ \t\r]+|{_COMMENT})*+{_TOKEN}")
_IN_BRACKETS = pattern(rf"(?:\s+|{_COMMENT})*+{_TOKEN}")
_DIGITS = pattern(r"\d+")
_PRECEDENCE = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!="), 3),
    **dict.fromkeys(("<", "<=", ">", ">="), 4),
    **dict.fromkeys("+-", 5),
    **dict.fromkeys("*/%", 6),
}
T = TypeVar("T")
_CONSTANTS = {"true": True, "false": False, "null": None}


class Parser:
    """`kind` and `text` are those of the token that comes next."""

    def __init__(self, file: File, at: int = 0) -> None:
        self.file = file
        self.source = file.text
        self.depth = 0
        self.kind = ""
        self.text = ""
        self.at = 0
        self.next_at = at
        self._in_lines = True

    def fail(self, why: str, at: int | None = None) -> NoReturn:
        raise Malformed(why, self.file.place(min(self.at if at is None else at, len(self.source))))

    def expected(self, what: str) -> NoReturn:
        found = (
            "the end of the file" if self.kind == "end" else "a new line" if self.kind == "line" else repr(self.text)
        )
        self.fail(f"{what} is expected here, and not {found}")

    def advance(self) -> None:
        found = (_IN_LINES if self._in_lines else _IN_BRACKETS).match(self.source, self.next_at)
        if found is None:
            self._no_token()
        kind = self.kind = found.lastgroup or ""
        self.text = found[kind]
        self.next_at = found.end()
        self.at = found.start(kind) - (kind == "text")

    def _no_token(self) -> NoReturn:
        at = self.next_at
        while at < len(self.source) and self.source[at] in " \t\r\n":
            at += 1
        self.fail(f"{self.source[at : at + 1]!r} begins nothing of HCL", at)

    def within(self, opening_in_lines: bool) -> bool:
        """Steps behind an opening bracket and sets whether newlines mean something from here on; returns what held
        before."""
        before, self._in_lines = self._in_lines, opening_in_lines
        self.advance()
        return before

    def close(self, sign: str, before: bool) -> None:
        """What stands behind a closing bracket is read as what stood before the opening one."""
        if self.text != sign or self.kind != "sign":
            self.expected(f"`{sign}`")
        self._in_lines = before
        self.advance()

    def is_sign(self, sign: str) -> bool:
        return self.text == sign and self.kind == "sign"

    def skip_lines(self) -> None:
        while self.kind == "line":
            self.advance()

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > HCL_DEEPEST:
            self.fail(f"nested deeper than {HCL_DEEPEST} levels")

    # Bodies

    def body(self, *, ends_at_brace: bool) -> Body:
        self.deeper()
        body = Body()
        while True:
            self.skip_lines()
            if self.kind == "end" or (ends_at_brace and self.is_sign("}")):
                break
            self._entry(body)
        self.depth -= 1
        return body

    def _entry(self, body: Body) -> None:
        if self.kind != "word":
            self.expected("the name of an argument or a block")
        name, at = self.text, self.at
        self.advance()
        if self.is_sign("="):
            self._setting(body, name, at)
        else:
            self._block(body, name, at)
        if self.kind not in ("line", "end") and not self.is_sign("}"):
            self.expected("a new line")

    def _setting(self, body: Body, name: str, at: int) -> None:
        self.advance()
        if name in body.settings:
            self.fail(f"`{name}` was already set", at)
        body.settings[name] = Setting(at, name, self.expression())

    def _block(self, body: Body, kind: str, at: int) -> None:
        labels: list[str] = []
        while self.kind in ("word", "text"):
            labels.append(self.text)
            self.advance()
        if not self.is_sign("{"):
            self.expected("`=` or `{`")
        before = self.within(True)
        inner = self.body(ends_at_brace=True)
        self.close("}", before)
        body.blocks.append(Block(at, kind, labels, inner, self.file))

    # Expressions

    def expression(self) -> Expression:
        self.deeper()
        found = self._binary(1)
        if self.is_sign("?"):
            found = self._conditional(found)
        self.depth -= 1
        return found

    def _conditional(self, condition: Expression) -> Expression:
        at = self.at
        self.advance()
        then = self.expression()
        if not self.is_sign(":"):
            self.expected("`:`")
        self.advance()
        return Conditional(at, condition, then, self.expression())

    def _binary(self, lowest: int) -> Expression:
        left = self._unary()
        chain = 0
        while self.kind == "sign" and (precedence := _PRECEDENCE.get(self.text, 0)) >= lowest:
            sign, at = self.text, self.at
            chain += 1
            if chain > HCL_LONGEST_CHAIN:
                self.fail(f"more than {HCL_LONGEST_CHAIN} operators in a row")
            self.advance()
            left = Binary(at, sign, left, self._binary(precedence + 1))
        return left

    def _unary(self) -> Expression:
        if self.kind == "sign" and self.text in "!-":
            sign, at = self.text, self.at
            self.advance()
            self.deeper()
            found = Unary(at, sign, self._unary())
            self.depth -= 1
            return found
        return self._postfix(self._term())

    def _postfix(self, on: Expression) -> Expression:
        chain = 0
        while self.kind == "sign":
            if self.text == ".":
                on = self._dotted(on)
            elif self.text == "[":
                on = self._indexed(on)
            else:
                break
            chain += 1
            if chain > HCL_LONGEST_CHAIN:
                self.fail(f"more than {HCL_LONGEST_CHAIN} steps in a row")
        return on

    def _dotted(self, on: Expression) -> Expression:
        at = self.next_at
        digits = _DIGITS.match(self.source, at)
        if digits is not None:
            # `list.0`, and `list.0.1`, which is no number.
            self.next_at = digits.end()
            self.advance()
            return Index(at, on, Literal(at, int(digits[0][:9])))
        self.advance()
        if self.is_sign("*"):
            return self._attribute_splat(on)
        if self.kind != "word":
            self.expected("the name of an attribute")
        found = Attribute(self.at, on, self.text)
        self.advance()
        return found

    def _attribute_splat(self, on: Expression) -> Expression:
        """`list.*.a.b`: an index behind it is one into what comes out."""
        at = self.at
        self.advance()
        each: Expression = Each(at)
        while self.is_sign("."):
            each = self._dotted(each)
        return Splat(at, on, each)

    def _indexed(self, on: Expression) -> Expression:
        at = self.at
        before = self.within(False)
        if self.is_sign("*"):
            self.advance()
            self.close("]", before)
            self.deeper()
            found = Splat(at, on, self._postfix(Each(at)))
            self.depth -= 1
            return found
        index = self.expression()
        self.close("]", before)
        return Index(at, on, index)

    def _term(self) -> Expression:
        kind, at, text = self.kind, self.at, self.text
        if kind == "word":
            return self._word()
        if kind == "text":
            self.advance()
            return Literal(at, text)
        if kind == "number":
            return self._number()
        if kind == "quote":
            from nodeworthy.hcl.template import parse_quoted

            return parse_quoted(self)
        reader = self._BRACKETS.get(text) if kind == "sign" else None
        if reader is not None:
            return reader(self)
        if kind == "sign" and text.startswith("<<"):
            from nodeworthy.hcl.template import heredoc

            return heredoc(self)
        return self.expected("an expression")

    def _number(self) -> Literal:
        try:
            found = Literal(self.at, number(self.text))
        except NoNumber as problem:
            self.fail(str(problem))
        self.advance()
        return found

    def _word(self) -> Expression:
        at, name = self.at, self.text
        self.advance()
        if self.is_sign("("):
            return self._call(at, name)
        if self.is_sign("::"):
            return self._call_of_provider(at, name)
        if name in _CONSTANTS:
            return Literal(at, _CONSTANTS[name])
        return Name(at, name)

    def _call_of_provider(self, at: int, name: str) -> Expression:
        while self.is_sign("::"):
            self.advance()
            if self.kind != "word":
                self.expected("the name of a function")
            name += f"::{self.text}"
            self.advance()
        if not self.is_sign("("):
            self.expected("`(`")
        return self._call(at, name)

    def _call(self, at: int, name: str) -> Call:
        before = self.within(False)
        arguments: list[Expression] = []
        expands = False
        while not self.is_sign(")"):
            arguments.append(self.expression())
            if self.is_sign("..."):
                expands = True
                self.advance()
                break
            if not self.is_sign(","):
                break
            self.advance()
        self.close(")", before)
        return Call(at, name, arguments, expands)

    def _parentheses(self) -> Expression:
        before = self.within(False)
        found = self.expression()
        self.close(")", before)
        return found

    def _tuple(self) -> Expression:
        at, before = self.at, self.within(False)
        if self._begins_for():
            return self._comprehension(at, before, "]")
        items: list[Expression] = []
        while not self.is_sign("]"):
            items.append(self.expression())
            if not self.is_sign(","):
                break
            self.advance()
        self.close("]", before)
        return Tuple(at, items)

    def _begins_for(self) -> bool:
        """`for` may be a name of the object's, too."""
        if self.kind != "word" or self.text != "for":
            return False
        found = _IN_BRACKETS.match(self.source, self.next_at)
        return found is not None and found.lastgroup == "word"

    def _object(self) -> Expression:
        at, before = self.at, self.within(True)
        self.skip_lines()
        if self._begins_for():
            return self._comprehension(at, before, "}")
        items: list[tuple[Expression, Expression]] = []
        while not self.is_sign("}"):
            items.append(self._item())
            if self.is_sign(","):
                self.advance()
            elif self.kind != "line" and not self.is_sign("}"):
                self.expected("a comma or a new line")
            self.skip_lines()
        self.close("}", before)
        return Object(at, items)

    def _item(self) -> tuple[Expression, Expression]:
        key = self._key()
        if not (self.is_sign("=") or self.is_sign(":")):
            self.expected("`=`")
        self.advance()
        return key, self.expression()

    def _key(self) -> Expression:
        at, name = self.at, self.text
        key = self.expression()
        if isinstance(key, (Name, Literal)) and self.source.startswith(name, at) and name and key.at == at:
            is_word = isinstance(key, Name) or name in _CONSTANTS
            return Literal(at, name) if is_word else key
        return key

    def _comprehension(self, at: int, before: bool, end: str) -> Expression:
        self._in_lines = False
        self.advance()
        names = self._names()
        over = self.expression()
        if not self.is_sign(":"):
            self.expected("`:`")
        self.advance()
        value, key = self.expression(), None
        if end == "}":
            if not self.is_sign("=>"):
                self.expected("`=>`")
            self.advance()
            key, value = value, self.expression()
        groups = self.is_sign("...")
        if groups:
            self.advance()
        condition = None
        if self.kind == "word" and self.text == "if":
            self.advance()
            condition = self.expression()
        self.close(end, before)
        return Comprehension(at, names, over, key, value, condition, groups)

    def _names(self) -> list[str]:
        """`k, v in`."""
        names: list[str] = []
        while self.kind == "word":
            names.append(self.text)
            self.advance()
            if not self.is_sign(","):
                break
            self.advance()
        if not 1 <= len(names) <= 2 or self.kind != "word" or self.text != "in":
            self.expected("`name in`")
        self.advance()
        return names

    _BRACKETS: ClassVar[dict[str, Callable[[Parser], Expression]]] = {"(": _parentheses, "[": _tuple, "{": _object}


def parse(file: File) -> Body:
    """All that stands in a file. Raises Malformed."""
    parser = Parser(file)
    return _not_too_deep(parser, lambda: _whole(parser))


def _whole(parser: Parser) -> Body:
    parser.advance()
    return parser.body(ends_at_brace=False)


def parse_expression(file: File) -> Expression:
    """The one expression that a text is. Raises Malformed."""
    parser = Parser(file)
    parser._in_lines = False

    def read() -> Expression:
        parser.advance()
        found = parser.expression()
        if parser.kind != "end":
            parser.expected("the end of the expression")
        return found

    return _not_too_deep(parser, read)


def parse_template(file: File) -> Template:
    """A file that is one template. Raises Malformed."""
    from nodeworthy.hcl.template import whole

    parser = Parser(file)
    return _not_too_deep(parser, lambda: whole(parser))


def _not_too_deep(parser: Parser, read: Callable[[], T]) -> T:
    try:
        return read()
    except RecursionError:
        parser.fail("nested too deep")
