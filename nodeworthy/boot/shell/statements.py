"""How each kind of statement is run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nodeworthy.boot.conditions import Asks, Condition
from nodeworthy.boot.shell import branches, loops, pipelines
from nodeworthy.boot.shell.calls import run_command
from nodeworthy.boot.shell.case import case
from nodeworthy.boot.shell.declarations import run_declaration
from nodeworthy.boot.shell.functions import define
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Background,
    Broken,
    Case,
    Command,
    CountingFor,
    Declaration,
    For,
    Function,
    Group,
    If,
    Not,
    Pipeline,
    Redirected,
    Test,
    While,
)

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


def _test(walker: Walker, statement: Test) -> bool | None:
    return walker.tests.value(statement.expression)


def _broken(walker: Walker, statement: Broken) -> None:
    """What can be read inside of it happens perhaps."""
    place = walker.place(statement.line, statement.column)
    walker.not_understood(place, statement.text, "this is no shell that could be read")
    question = walker.questions.anew("what stands here is read as the shell reads it", place, Asks.STATE)
    taken = walker.branch((Condition(question, "yes"),), lambda: walker.run_all(statement.inside))
    walker.state.join([taken.changed, ({}, {})], "a region that could not be read")


RUN: dict[type[Any], Callable[[Walker, Any], bool | None]] = {
    AndOr: branches.run_both,
    Background: pipelines.background,
    Broken: _broken,
    Case: case,
    Command: run_command,
    CountingFor: loops.counting_for,
    Declaration: run_declaration,
    For: loops.for_each,
    Function: define,
    Group: pipelines.group,
    If: branches.if_,
    Not: branches.not_,
    Pipeline: pipelines.pipeline,
    Redirected: pipelines.redirected,
    Test: _test,
    While: loops.while_,
}
