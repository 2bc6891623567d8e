"""Branches: `if`, `&&` and `||`, and what holds behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import CONDITIONS_A_STEP, Guard, beyond, common
from nodeworthy.boot.effects import Failure
from nodeworthy.boot.shell.flow import UNNOTICED, Answer, Failing, Flow, Taken, handler_in, without_a_listener
from nodeworthy.boot.shell.syntax import AndOr, Branch, If, Not, Statement

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker


def ask_both(walker: Walker, statement: AndOr) -> Answer:
    """`left && right`, `left || right`: the right side runs only after one outcome of the left one."""
    is_or = statement.operator == "||"
    left = _ask_left(walker, statement, is_or=is_or)
    if walker.flow is not Flow.ON or left.value is is_or:
        return left
    if left.value is not None:
        return walker.ask(statement.right)
    right: list[Answer] = []
    when, otherwise = (left.no, left.yes) if is_or else (left.yes, left.no)
    taken = walker.branch(when, lambda: right.append(walker.ask(statement.right)))
    if taken.flow is not Flow.ON:
        walker.leave(taken.flow, otherwise)
        return Answer(None, *((left.yes, left.no) if is_or else (left.no, left.yes)))
    walker.state.join([taken.changed, ({}, {})], f"`{first_line(statement.raw)}`")
    whole = walker.answered(walker.questions.of(statement, walker.place(statement.line, statement.column)), None)
    if is_or:
        return Answer(True if right[0].value else None, whole.yes, left.no + right[0].no)
    return Answer(False if right[0].value is False else None, left.yes + right[0].yes, whole.no)


def run_both(walker: Walker, statement: AndOr) -> bool | None:
    """The same where it decides nothing: nobody asks under which conditions the right side comes out how."""
    is_or = statement.operator == "||"
    left = _ask_left(walker, statement, is_or=is_or)
    if walker.flow is not Flow.ON or left.value is is_or:
        return left.value
    if left.value is not None:
        return walker.outcome(statement.right)
    right: list[bool | None] = []
    when, otherwise = (left.no, left.yes) if is_or else (left.yes, left.no)
    taken = walker.branch(when, lambda: right.append(walker.outcome(statement.right)))
    if taken.flow is not Flow.ON:
        walker.leave(taken.flow, otherwise)
        return None
    walker.state.join([taken.changed, ({}, {})], f"`{first_line(statement.raw)}`")
    return is_or if right[0] is is_or else None


def _ask_left(walker: Walker, statement: AndOr, *, is_or: bool) -> Answer:
    outer, is_last = walker.failing, walker.is_last
    walker.failing = _of_left(walker, statement, outer, is_or=is_or)
    walker.is_last = False
    left = walker.ask(statement.left)
    walker.failing, walker.is_last = outer, is_last
    return left


def _of_left(walker: Walker, statement: AndOr, outer: Failing | None, *, is_or: bool) -> Failing:
    ours = outer or Failing(walker.failure())
    if is_or:
        ours = Failing(ours.how, explicit=True)
        return handler_in([statement.right], walker.state.functions, ours, statement.left)
    # `set -e` does not look at what stands before `&&`.
    return ours if ours.explicit or walker.is_last else Failing(Failure.UNNOTICED)


def not_(walker: Walker, statement: Not) -> bool | None:
    """`set -e` does not look at what stands behind `!`."""
    outer = walker.failing
    walker.failing = without_a_listener(outer)
    value = walker.ask(statement).value
    walker.failing = outer
    return value


def if_(walker: Walker, statement: If) -> bool | None:
    taken: list[Taken] = []
    noes: Guard = ()
    guard, left = walker.guard, len(walker.left)
    for index, each in enumerate(statement.branches):
        answer = _decided(walker, statement, each, index)
        if walker.flow is not Flow.ON or answer.value is False:
            continue
        if answer.value is True:
            taken.append(_take_branch(walker, noes, each.body))
            break
        taken.append(_take_branch(walker, noes + answer.yes, each.body))
        noes += answer.no
        walker.guard += answer.no  # the next condition is looked at only after this one
    else:
        taken.append(_take_branch(walker, noes, statement.otherwise))
    walker.guard = guard
    del walker.left[left:]
    go_on(walker, taken, f"`{first_line(statement.raw)}`")
    return None


def _take_branch(walker: Walker, conditions: Guard, body: Sequence[Statement]) -> Taken:
    """A branch; its conditions are those of the whole chain, of which the walker stands under some already."""
    fresh = beyond(conditions, walker.guard)
    walker.steps += len(conditions) // CONDITIONS_A_STEP
    taken = walker.branch(fresh, lambda: walker.run_all(body))
    return Taken(conditions, taken.flow, taken.changed)


def _decided(walker: Walker, statement: If, branch: Branch, index: int) -> Answer:
    otherwise: Sequence[Statement] = (
        statement.branches[index + 1].body if index + 1 < len(statement.branches) else statement.otherwise
    )
    return condition(walker, branch.condition, branch.body, otherwise)


def condition(
    walker: Walker,
    statements: Sequence[Statement],
    body: Sequence[Statement],
    otherwise: Sequence[Statement],
    *,
    endless: bool = False,
) -> Answer:
    """Runs what a branch is decided by; its failure is dealt with in the branch for it."""
    outer, is_last = walker.failing, walker.is_last
    walker.is_last = False
    last = statements[-1] if statements else None
    handler = body if isinstance(last, Not) else otherwise
    walker.failing = handler_in(handler, walker.state.functions, UNNOTICED, last) if handler else UNNOTICED
    for each in statements[:-1]:
        walker.run(each)
    if endless:
        walker.failing = Failing(Failure.REPEATED, explicit=True)
    answer = walker.ask(last) if last is not None else Answer(True)
    walker.failing, walker.is_last = outer, is_last
    return answer


def go_on(walker: Walker, taken: Sequence[Taken], decided_by: str) -> None:
    """Continues after branches with what holds for every branch that did not leave."""
    going = [each for each in taken if each.flow is Flow.ON]
    if not going:
        walker.flow = min((each.flow for each in taken), default=Flow.ON)
        if len(taken) == 1:
            walker.state.join([taken[0].changed], decided_by)
        return
    if len(going) < len(taken):
        furthest = max(each.flow for each in taken)
        walker.leave(furthest, common([each.conditions for each in going]))
    walker.state.join([each.changed for each in going], decided_by)


def first_line(raw: str) -> str:
    line = raw.split("\n", 1)[0].strip()
    return line if len(line) <= 80 else f"{line[:79]}…"
