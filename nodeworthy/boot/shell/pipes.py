"""`|&`: what a command says on its standard error goes into the pipe too."""

from __future__ import annotations

from dataclasses import replace

from nodeworthy.boot.shell.syntax import Broken, Command, Function, Redirected, Statement
from nodeworthy.boot.shell.word_syntax import Literal, Redirect, Word


def with_errors(statement: Statement) -> Statement:
    if isinstance(statement, Function | Broken):
        return statement
    both = Redirect(">&", Word((Literal("1"),), statement.line, statement.column, "1"), 2)
    if isinstance(statement, Command):
        return replace(statement, redirects=(*statement.redirects, both))
    return Redirected(statement, (both,), statement.line, statement.column, getattr(statement, "raw", ""))
