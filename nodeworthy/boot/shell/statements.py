"""How each kind of statement is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nodeworthy.boot.conditions import Asks, Condition
from nodeworthy.boot.shell import branches, loops, pipelines
from nodeworthy.boot.shell.branches import first_line, go_on
from nodeworthy.boot.shell.calls import run_command, run_declaration
from nodeworthy.boot.shell.flow import Flow, Taken
from nodeworthy.boot.shell.functions import define
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Arm,
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
    Statement,
    Test,
    While,
)
from nodeworthy.boot.shell.words import glob

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


# `case`: one question with an answer for every arm.

NONE_OF_THEM = "none of these"


def case(walker: Walker, statement: Case) -> bool | None:
    subject = walker.expander.text(statement.subject)
    place = walker.place(statement.line, statement.column)
    labels = [_label(arm) for arm in statement.arms]
    if subject.known is not None:
        chosen = _matching(walker, subject.known, statement.arms)
        if chosen is not None:
            return walker.run_all(_bodies(statement.arms, chosen))
    has_rest = any(_is_rest(arm) for arm in statement.arms)
    question = walker.questions.choice(statement.subject, labels if has_rest else [*labels, NONE_OF_THEM], place)
    taken = [
        walker.branch((Condition(question, label),), lambda index=index: walker.run_all(_bodies(statement.arms, index)))  # type: ignore[misc]
        for index, label in enumerate(labels)
    ]
    if not has_rest:
        taken.append(Taken((Condition(question, NONE_OF_THEM),), Flow.ON, ({}, {})))
    go_on(walker, taken, f"`{first_line(statement.subject.raw)}`")
    return None


def _label(arm: Arm) -> str:
    return "anything else" if _is_rest(arm) else "|".join([word.raw for word in arm.patterns])


def _is_rest(arm: Arm) -> bool:
    return "*" in [word.raw for word in arm.patterns]


def _matching(walker: Walker, subject: str, arms: Sequence[Arm]) -> int | None:
    for index, arm in enumerate(arms):
        for word in arm.patterns:
            pattern = walker.expander.text(word).known
            if pattern is None:
                return None
            if glob(pattern)(subject):
                return index
    return len(arms)


def _bodies(arms: Sequence[Arm], index: int) -> list[Statement]:
    """What runs from an arm on: `;&` falls through to the next."""
    body: list[Statement] = []
    for arm in arms[index:]:
        body += arm.body
        if arm.ending == ";;":
            break
    return body


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
    Redirected: pipelines.run_redirected,
    Test: _test,
    While: loops.while_,
}
