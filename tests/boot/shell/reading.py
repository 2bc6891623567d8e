"""Short forms of what was read, for comparing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nodeworthy.boot.shell.parse import parse
from nodeworthy.boot.shell.syntax import Broken, Command, HereDocument, Literal, Redirect, Statement, Word


def statements(text: str, template: bool = False) -> tuple[Statement, ...]:
    return parse(text, template=template).statements


def one(text: str, template: bool = False) -> Statement:
    (statement,) = statements(text, template)
    return statement


def command(text: str, template: bool = False) -> Command:
    statement = one(text, template)
    assert isinstance(statement, Command)
    return statement


def every(node: object, kind: type) -> Iterator[object]:
    """Everything of a kind below this node, itself included."""
    if isinstance(node, kind):
        yield node
    if dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from every(getattr(node, field.name), kind)
    elif isinstance(node, tuple):
        for each in node:
            yield from every(each, kind)


def is_broken(text: str) -> bool:
    return any(every(statements(text), Broken))


def raws(text: str) -> list[str]:
    """Every simple command, in the order of the text."""
    return [each.raw for each in every(statements(text), Command) if isinstance(each, Command)]


def plain(word: Word) -> str:
    """A word of which all is known."""
    assert all(isinstance(part, Literal) for part in word.parts), word
    return "".join(part.text for part in word.parts if isinstance(part, Literal))


def heredocs(text: str) -> list[HereDocument]:
    found = (each.target for each in every(statements(text), Redirect) if isinstance(each, Redirect))
    return [each for each in found if isinstance(each, HereDocument)]
