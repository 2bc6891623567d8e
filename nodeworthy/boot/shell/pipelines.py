"""Pipes, groups, what runs in the background."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.effects import Failure, Fetches
from nodeworthy.boot.shell.flow import SWALLOWED, UNNOTICED, Flow, Stream
from nodeworthy.boot.shell.redirects import heredoc_expansions, with_redirects
from nodeworthy.boot.shell.syntax import Background, Group, Pipeline, Redirected, Statement

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


def pipeline(walker: Walker, statement: Pipeline) -> bool | None:
    outer, outer_in, is_last = walker.failing, walker.stdin, walker.is_last
    *first, last = statement.commands
    stream = walker.stdin
    for each in first:
        walker.stdin = stream
        walker.failing = outer if walker.state.options.pipefail else SWALLOWED
        walker.is_last = is_last and walker.state.options.pipefail
        seen = len(walker.effects)
        _, content = walker.caught(lambda each=each: walker.run(each))  # type: ignore[misc]
        stream = _onward(walker, each, stream, Stream(content), seen)
    walker.failing, walker.is_last, walker.stdin = outer, is_last, stream
    status = walker.run(last)
    walker.stdin = outer_in
    return status


def _onward(walker: Walker, statement: Statement, before: Stream | None, after: Stream, seen: int) -> Stream:
    """What flows on: a heredoc keeps what was expanded in it, a download where it comes from."""
    url = next((each.url for each in walker.effects[seen:] if isinstance(each, Fetches) and each.to is None), None)
    expanded = heredoc_expansions(walker, statement)
    return Stream(after.content, expanded or (before.expanded if before is not None else ()), url)


def group(walker: Walker, statement: Group) -> bool | None:
    if not statement.subshell:
        return walker.run_all(statement.body)
    status = in_subshell(walker, statement.body)
    if walker.flow is Flow.EXIT:
        walker.flow = Flow.ON
    return status


def in_subshell(walker: Walker, statements: Sequence[Statement]) -> bool | None:
    """A shell of its own: what it sets, and where it goes, is nothing to the one around it."""
    state = walker.state
    folder, options, mark = state.folder, state.options, state.variables.mark()
    state.options, is_last, within = options.copy(), walker.is_last, walker.in_a_subshell
    walker.in_a_subshell = True
    # Where its failure stops the script, its last command decides, whatever it says of `set -e` for itself.
    walker.is_last = is_last or walker.failure() is Failure.STOPS
    status = walker.run_all(statements)
    state.variables.back_to(mark)
    state.folder, state.options, walker.is_last, walker.in_a_subshell = folder, options, is_last, within
    return status


def run_redirected(walker: Walker, statement: Redirected) -> bool | None:
    place = walker.place(statement.line, statement.column)
    return with_redirects(walker, statement.redirects, place, statement.raw, lambda: walker.run(statement.statement))


def background(walker: Walker, statement: Background) -> bool | None:
    outer, detached = walker.failing, walker.detached
    walker.failing, walker.detached = UNNOTICED, True
    walker.run(statement.statement)
    walker.failing, walker.detached = outer, detached
    return True
