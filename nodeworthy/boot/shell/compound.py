"""Statements that hold other statements: branches, loops, pipes, groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import Asks, Condition, Guard
from nodeworthy.boot.effects import Failure
from nodeworthy.boot.shell.expansions import glob
from nodeworthy.boot.shell.failing import handled_by
from nodeworthy.boot.shell.flow import Answer, Failing, Flow, Stream, Taken
from nodeworthy.boot.shell.line_loop import each_line, lines_read
from nodeworthy.boot.shell.redirects import with_redirects
from nodeworthy.boot.shell.syntax import (
    AndOr,
    Arm,
    Background,
    Branch,
    Case,
    Command,
    CountingFor,
    For,
    Group,
    If,
    Literal,
    Not,
    Pipeline,
    Redirected,
    Statement,
    While,
    Word,
)
from nodeworthy.boot.text import Hole, Text

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

# More rounds than this of one loop are not walked.
MOST_ROUNDS = 64
NONE_OF_THEM = "none of these"


def ask_both(walker: Walker, statement: AndOr) -> Answer:
    """`left && right`, `left || right`: the right side runs only after one outcome of the left one."""
    outer = walker.failing
    is_or = statement.operator == "||"
    walker.failing = _of_left(walker, statement, outer, is_or=is_or)
    is_last, walker.is_last = walker.is_last, False
    left = walker.ask(statement.left)
    walker.failing, walker.is_last = outer, is_last
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
    walker.state.join([taken.changed, ({}, {})], f"`{_first_line(statement.raw)}`")
    whole = walker.answered(walker.questions.of(statement, walker.place(statement.line, statement.column)), None)
    if is_or:
        return Answer(True if right[0].value else None, whole.yes, left.no + right[0].no)
    return Answer(False if right[0].value is False else None, left.yes + right[0].yes, whole.no)


def _of_left(walker: Walker, statement: AndOr, outer: Failing | None, *, is_or: bool) -> Failing:
    ours = outer or Failing(walker.failure())
    if is_or:
        return handled_by([statement.right], walker.state.functions, Failing(ours.how, explicit=True))
    # `set -e` does not look at what stands before `&&`.
    return ours if ours.explicit or walker.is_last else Failing(Failure.UNNOTICED)


def not_(walker: Walker, statement: Not) -> bool | None:
    return walker.ask(statement).value


def if_(walker: Walker, statement: If) -> bool | None:
    taken: list[Taken] = []
    noes: Guard = ()
    guard, left = walker.guard, len(walker.left)
    for index, each in enumerate(statement.branches):
        answer = _decided(walker, statement, each, index)
        if walker.flow is not Flow.ON or answer.value is False:
            continue
        if answer.value is True:
            taken.append(_taken(walker, noes, each.body))
            break
        taken.append(_taken(walker, noes + answer.yes, each.body))
        noes += answer.no
        walker.guard += answer.no  # the next condition is looked at only after this one
    else:
        taken.append(_taken(walker, noes, statement.otherwise))
    walker.guard = guard
    del walker.left[left:]
    _go_on(walker, taken, f"`{_first_line(statement.raw)}`")
    return None


def _taken(walker: Walker, conditions: Guard, body: Sequence[Statement]) -> Taken:
    """A branch; its conditions are those of the whole chain, of which the walker stands under some already."""
    fresh = tuple(each for each in conditions if each not in walker.guard)
    taken = walker.branch(fresh, lambda: walker.run_all(body))
    return Taken(conditions, taken.flow, taken.changed)


def _decided(walker: Walker, statement: If, branch: Branch, index: int) -> Answer:
    otherwise: Sequence[Statement] = (
        statement.branches[index + 1].body if index + 1 < len(statement.branches) else statement.otherwise
    )
    return condition(walker, branch.condition, branch.body, otherwise)


def condition(
    walker: Walker, statements: Sequence[Statement], body: Sequence[Statement], otherwise: Sequence[Statement]
) -> Answer:
    """Runs what a branch is decided by; its failure is dealt with in the branch for it."""
    outer, is_last = walker.failing, walker.is_last
    walker.is_last = False
    last = statements[-1] if statements else None
    handler = body if isinstance(last, Not) else otherwise
    unnoticed = Failing(Failure.UNNOTICED, explicit=True)
    walker.failing = handled_by(handler, walker.state.functions, unnoticed) if handler else unnoticed
    for each in statements[:-1]:
        walker.run(each)
    answer = walker.ask(last) if last is not None else Answer(True)
    walker.failing, walker.is_last = outer, is_last
    return answer


def _go_on(walker: Walker, taken: Sequence[Taken], decided_by: str) -> None:
    """Behind branches: what holds for all that did not leave."""
    going = [each for each in taken if each.flow is Flow.ON]
    if not going:
        walker.flow = min((each.flow for each in taken), default=Flow.ON)
        if len(taken) == 1:
            walker.state.join([taken[0].changed], decided_by)
        return
    if len(going) < len(taken):
        furthest = max(each.flow for each in taken)
        walker.leave(furthest, _common([each.conditions for each in going]))
    walker.state.join([each.changed for each in going], decided_by)


def _common(guards: Sequence[Guard]) -> Guard:
    first, *others = guards
    return tuple(each for each in first if all(each in other for other in others))


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
    _go_on(walker, taken, f"`{_first_line(statement.subject.raw)}`")
    return None


def _label(arm: Arm) -> str:
    return "anything else" if _is_rest(arm) else "|".join(word.raw for word in arm.patterns)


def _is_rest(arm: Arm) -> bool:
    return any(word.raw == "*" for word in arm.patterns)


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


def for_each(walker: Walker, statement: For) -> bool | None:
    words = statement.words if statement.words is not None else ()
    values = walker.expander.fields(words)
    known = statement.words is not None and all(each.known is not None for each in values) and not _globs(words)
    if not known:
        _perhaps(walker, statement, Text((Hole(f"${statement.name}", f"{statement.raw_header} decides it"),)))
        return None
    walker.scope(lambda: _rounds(walker, statement, values[:MOST_ROUNDS]), Flow.BREAK)
    if len(values) > MOST_ROUNDS:
        place = walker.place(statement.line, statement.column)
        walker.not_understood(place, statement.raw_header, f"only the first {MOST_ROUNDS} rounds are followed")
    return None


def _rounds(walker: Walker, statement: For, values: Sequence[Text]) -> None:
    for value in values:
        walker.state.set(statement.name, value)
        walker.state.asked.discard(statement.name)
        before = len(walker.left)
        walker.scope(lambda: walker.run_all(statement.body), Flow.CONTINUE)
        # A round that ends as soon as a step succeeds is meant to be the last one: the others are for bad luck.
        succeeded = any(
            flow is Flow.BREAK and all(c.question.asks is Asks.SUCCESS and c.answer == "no" for c in conditions)
            for flow, conditions in walker.left[before:]
        )
        if walker.flow is not Flow.ON or succeeded or statement.name not in walker.state.asked:
            return


def _perhaps(walker: Walker, statement: For, value: Text) -> None:
    place = walker.place(statement.line, statement.column)
    question = walker.questions.anew(statement.raw_header, place, Asks.LOOP)

    def body() -> None:
        walker.state.set(statement.name, value)
        walker.scope(lambda: walker.run_all(statement.body), Flow.BREAK)

    taken = walker.branch((Condition(question, "yes"),), body)
    walker.state.join([taken.changed, ({}, {})], f"`{statement.raw_header}`")
    if taken.flow is not Flow.ON:
        walker.leave(taken.flow, (Condition(question, "no"),))


def counting_for(walker: Walker, statement: CountingFor) -> bool | None:
    walker.scope(lambda: walker.run_all(statement.body), Flow.BREAK)
    return None


def while_(walker: Walker, statement: While) -> bool | None:
    lines = lines_read(walker, statement)
    if lines is not None:
        walker.scope(lambda: each_line(walker, statement, *lines), Flow.BREAK)
        return None
    answer = condition(walker, statement.condition, statement.body, ())
    goes_round = answer.flipped() if statement.until else answer
    if walker.flow is not Flow.ON or goes_round.value is False:
        return None
    if goes_round.value is True:
        walker.scope(lambda: walker.run_all(statement.body), Flow.BREAK)
        return None
    taken = walker.branch(goes_round.yes, lambda: walker.scope(lambda: walker.run_all(statement.body), Flow.BREAK))
    walker.state.join([taken.changed, ({}, {})], f"`{statement.raw_header}`")
    return None


def pipeline(walker: Walker, statement: Pipeline) -> bool | None:
    outer, outer_in, is_last = walker.failing, walker.stdin, walker.is_last
    *first, last = statement.commands
    stream = walker.stdin
    hidden = Failing(Failure.SWALLOWED, explicit=True)
    for each in first:
        walker.stdin = stream
        walker.failing = outer if walker.state.options.pipefail else hidden
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
    from nodeworthy.boot.effects import Fetches
    from nodeworthy.boot.shell.redirects import expanded_in

    url = next((each.url for each in walker.effects[seen:] if isinstance(each, Fetches) and each.to is None), None)
    expanded = expanded_in(walker, statement) if isinstance(statement, Command | Redirected) else ()
    return Stream(after.content, expanded or (before.expanded if before is not None else ()), url)


def group(walker: Walker, statement: Group) -> bool | None:
    if not statement.subshell:
        return walker.run_all(statement.body)
    folder = walker.state.folder
    mark = walker.state.variables.mark()
    status = walker.run_all(statement.body)
    walker.state.variables.back_to(mark)
    walker.state.folder = folder
    if walker.flow is Flow.EXIT:
        walker.flow = Flow.ON
    return status


def redirected(walker: Walker, statement: Redirected) -> bool | None:
    place = walker.place(statement.line, statement.column)
    return with_redirects(walker, statement.redirects, place, statement.raw, lambda: walker.run(statement.statement))


def background(walker: Walker, statement: Background) -> bool | None:
    outer, detached = walker.failing, walker.detached
    walker.failing, walker.detached = Failing(Failure.UNNOTICED, explicit=True), True
    walker.run(statement.statement)
    walker.failing, walker.detached = outer, detached
    return True


def _globs(words: Sequence[Word]) -> bool:
    return any(
        isinstance(part, Literal) and not part.quoted and any(sign in part.text for sign in "*?")
        for word in words
        for part in word.parts
    )


def _first_line(raw: str) -> str:
    line = raw.split("\n", 1)[0].strip()
    return line if len(line) <= 80 else f"{line[:79]}…"
