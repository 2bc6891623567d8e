"""From the text of a script to its statements. It never fails: what is no shell is `Broken`, and no more than that."""

from __future__ import annotations

from nodeworthy.boot.shell.grammar import statements_of
from nodeworthy.boot.shell.lexer import Lexer
from nodeworthy.boot.shell.pieces import Pieces
from nodeworthy.boot.shell.source import DEEPEST, NotReadable, Source
from nodeworthy.boot.shell.syntax import Script, Statement


def parse(text: str, template: bool = False) -> Script:  # noqa: ARG001 - soon
    source = Source(_cleaned(text))
    return Script(_statements(source, 0, Lexer(source).read()))


def _statements(source: Source, base: int, inside: str) -> tuple[Statement, ...]:
    if source.depth >= DEEPEST:
        raise NotReadable
    source.depth += 1
    try:
        return statements_of(source, base, inside, Pieces(source, _statements, lambda inner: Lexer(inner).read()))
    finally:
        source.depth -= 1


def _cleaned(text: str) -> str:
    """Lines end as in Unix. A NUL, which bash passes over, is no part of any word that we know."""
    return text.replace("\r\n", "\n").replace("\0", "\ufffd")
