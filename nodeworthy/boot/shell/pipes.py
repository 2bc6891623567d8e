"""`|&`: what a command says on its standard error goes into the pipe too."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.boot.shell.source import Source
from nodeworthy.boot.shell.syntax import Broken, Command, Function, Redirected, Statement
from nodeworthy.boot.shell.word_syntax import Literal, Redirect, Word


def with_errors(statement: Statement, source: Source, pipe: int) -> Statement:
    """`pipe` is where it stands."""
    if isinstance(statement, (Function, Broken)):
        return statement
    both = Redirect(">&", Word((Literal("1"),), "1", source, pipe), 2)
    if isinstance(statement, Command):
        return replace(statement, redirects=(*statement.redirects, both))
    return Redirected(statement, (both,), statement.line, statement.column, getattr(statement, "raw", ""))
