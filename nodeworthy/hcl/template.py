"""Templates: quoted strings, heredocs and the files that `templatefile` fills in.

They are read into one row of texts, interpolations and directives, as Terraform does; what is stripped (`~`), and how
far a heredoc is indented, is decided on that row, before directives make a tree of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from nodeworthy.hcl.parse import Parser
from nodeworthy.hcl.syntax import Chunk, Expression, For, If, Interpolation, Literal, Part, Template
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_QUOTED = pattern(
    r'(?P<escape>\$\$\{|%%\{)|(?P<open>[$%]\{~?)|(?P<slash>\\(?:[nrt"\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))'
    r'|(?P<end>")|(?P<text>[^"\\$%\n]+|[$%])'
)
_LINES = pattern(r"(?P<escape>\$\$\{|%%\{)|(?P<open>[$%]\{~?)|(?P<text>[^$%\n]*\n|[^$%\n]+|[$%])")
_SLASHED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_SPACE = " \t\n\r\v\f\x85\xa0"


@dataclass(slots=True)
class _Directive:
    """`%{ if … }`, `%{ for … }`, `%{ else }`, `%{ endif }`, `%{ endfor }`."""

    at: int
    word: str
    on: Expression | None = None
    names: Sequence[str] = ()


_Token = Chunk | Interpolation | _Directive


class _Row:
    """What was read so far of one template."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.tokens: list[_Token] = []
        self.strips = False

    def text(self, at: int, text: str) -> None:
        if self.strips:
            text = text.lstrip(_SPACE)
            self.strips = False
        self.tokens.append(Chunk(at, text))

    def opened(self, opening: str, at: int) -> int:
        """An interpolation or a directive; where the text goes on."""
        parser, last = self.parser, self.tokens[-1] if self.tokens else None
        if opening.endswith("~") and isinstance(last, Chunk):
            last.text = last.text.rstrip(_SPACE)
        self.strips = False
        before, parser.next_at = parser._in_lines, at + len(opening)
        parser.within(False)
        token = Interpolation(at, 0, parser.expression()) if opening[0] == "$" else _directive(parser, at)
        if parser.is_sign("~"):
            parser.advance()
            self.strips = True
        if not parser.is_sign("}"):
            parser.expected("`}`")
        parser._in_lines = before
        if isinstance(token, Interpolation):
            token.end = parser.next_at
        self.tokens.append(token)
        return parser.next_at


def _directive(parser: Parser, at: int) -> _Directive:
    word = parser.text if parser.kind == "word" else ""
    if word not in ("if", "for", "else", "endif", "endfor"):
        parser.expected("`if`, `for`, `else`, `endif` or `endfor`")
    parser.advance()
    if word == "if":
        return _Directive(at, word, parser.expression())
    if word == "for":
        names = parser._names()
        return _Directive(at, word, parser.expression(), names)
    return _Directive(at, word)


def parse_quoted(parser: Parser) -> Expression:
    """Parses from the opening quote, which was read."""
    parser.deeper()
    row, at, begin = _Row(parser), parser.next_at, parser.at
    while True:
        found = _QUOTED.match(parser.source, at)
        if found is None:
            parser.fail("a quote that opens here is not closed on its line", begin)
        kind = found.lastgroup
        if kind == "end":
            break
        at = _take_token(row, found, at)
    parser.depth -= 1
    parser.next_at = found.end()
    parser.advance()
    return _simplest(begin, row)


def _take_token(row: _Row, found: re.Match[str], at: int) -> int:
    kind = found.lastgroup
    if kind == "open":
        return row.opened(found[0], at)
    text = found[0]
    if kind == "escape":
        text = text[1:]
    elif kind == "slash":
        text = _SLASHED.get(text[1]) or _character(row.parser, text, at)
    row.text(at, text)
    return found.end()


def _character(parser: Parser, text: str, at: int) -> str:
    code = int(text[2:], 16)  # noqa: FURB166 - it begins with no 0x
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        parser.fail(f"{text} is no character", at)
    return chr(code)


def heredoc(parser: Parser) -> Expression:
    """Parses from `<<NAME`, which was read with its line."""
    parser.deeper()
    begin, opening = parser.at, parser.text.strip()
    marker = opening.lstrip("<").removeprefix("-")
    closing = re.compile(rf"[ \t]*{re.escape(marker)}[ \t\r]*(?=\n|\Z)")
    row, at, begins_line = _Row(parser), parser.next_at, True
    while True:
        end = closing.match(parser.source, at) if begins_line else None
        if end is not None:
            break
        found = _LINES.match(parser.source, at)
        if found is None:
            parser.fail(f"this heredoc is never closed by {marker}", begin)
        begins_line = found[0].endswith("\n")
        at = _take_token(row, found, at)
    if opening.startswith("<<-"):
        _dedent(row.tokens)
    parser.depth -= 1
    parser.next_at = end.end()
    parser.advance()
    return Template(begin, _tree(parser, row.tokens))


def whole(parser: Parser) -> Template:
    row, at = _Row(parser), parser.next_at
    while at < len(parser.source):
        found = _LINES.match(parser.source, at)
        assert found is not None
        at = _take_token(row, found, at)
    return Template(0, _tree(parser, row.tokens))


def _simplest(begin: int, row: _Row) -> Expression:
    """A text with nothing to fill in is a literal."""
    tokens = row.tokens
    if len(tokens) == 1 and isinstance(tokens[0], Chunk):
        return Literal(begin, tokens[0].text)
    return Template(begin, _tree(row.parser, tokens))


def _dedent(tokens: Sequence[_Token]) -> None:
    """`<<-`: as far as the least indented line."""
    least, begins, indented = 1 << 30, True, list[Chunk]()
    for each in tokens:
        if begins:
            begins, spaces = False, 0
            if isinstance(each, Chunk):
                trimmed = each.text.lstrip(_SPACE)
                if not trimmed and each.text.endswith("\n"):
                    spaces = least
                else:
                    spaces = len(each.text) - len(trimmed)
                    indented.append(each)
            least = min(least, spaces)
        if isinstance(each, Chunk) and each.text.endswith("\n"):
            begins = True
    for chunk in indented:
        chunk.at += least
        chunk.text = chunk.text[least:]


def _tree(parser: Parser, tokens: Sequence[_Token]) -> Sequence[Part]:
    parts, at, _ = _until(parser, tokens, 0, ())
    assert at == len(tokens)
    return parts


def _until(parser: Parser, tokens: Sequence[_Token], at: int, ends: tuple[str, ...]) -> tuple[list[Part], int, str]:
    """What stands before one of these directives; where that stands, and which it is."""
    parser.deeper()
    parts: list[Part] = []
    while at < len(tokens):
        token = tokens[at]
        if not isinstance(token, _Directive):
            parts.append(token)
            at += 1
        elif token.word in ends:
            parser.depth -= 1
            return parts, at, token.word
        elif token.word == "if":
            part, at = _if(parser, tokens, at, token)
            parts.append(part)
        elif token.word == "for":
            inner, at, _ = _until(parser, tokens, at + 1, ("endfor",))
            assert token.on is not None
            key, value = ("", *token.names)[-2:]
            parts.append(For(token.at, key, value, token.on, inner))
            at += 1
        else:
            parser.fail(f"nothing is open here that `{token.word}` would end", token.at)
    if ends:
        parser.fail(f"`{ends[-1]}` is missing", tokens[-1].at)
    parser.depth -= 1
    return parts, at, ""


def _if(parser: Parser, tokens: Sequence[_Token], at: int, token: _Directive) -> tuple[If, int]:
    then, end, word = _until(parser, tokens, at + 1, ("else", "endif"))
    otherwise: list[Part] = []
    if word == "else":
        otherwise, end, _ = _until(parser, tokens, end + 1, ("endif",))
    assert token.on is not None
    return If(token.at, token.on, then, otherwise), end + 1
