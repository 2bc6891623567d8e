"""How each kind of statement is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nodeworthy.boot.conditions import Asks, Condition
from nodeworthy.boot.shell import branches, pipelines
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

from typing import TYPE_CHECKING

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.content import Line
from nodeworthy.boot.shell.arithmetic import forget
from nodeworthy.boot.shell.branches import condition
from nodeworthy.boot.shell.flow import tries_for_ever
from nodeworthy.boot.shell.syntax import Literal, Word, WordPart
from nodeworthy.boot.text import EMPTY, Hole, Text

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


# Loops: round by round where it is known what they go over, else once, under the condition that they run at all.


# `while read -r a b; do …; done <<EOF`: one round a line, where it is known which lines there are.

MOST_LINES = 64


def lines_read(walker: Walker, statement: While) -> tuple[Sequence[str], Sequence[Line]] | None:
    """The variables and the lines of such a loop; None for any other."""
    stream = walker.stdin
    if statement.until or len(statement.condition) != 1 or stream is None or stream.content is None:
        return None
    names = _names(statement.condition[0]) if isinstance(statement.condition[0], Command) else None
    lines = stream.content.lines
    if not names or not 0 < len(lines) <= MOST_LINES or stream.content.known is None:
        return None
    return names, lines


def _names(command: Command) -> list[str] | None:
    words = [part.text for word in command.words for part in word.parts[:1] if isinstance(part, Literal)]
    if not words or words[0] != "read" or len(words) != len(command.words):
        return None
    if any(each.name == "IFS" and each.value is not None and each.value.raw for each in command.assignments):
        return None  # parted by something else than blanks
    return [word for word in words[1:] if not word.startswith("-")]


def each_line(walker: Walker, statement: While, names: Sequence[str], lines: Sequence[Line]) -> None:
    stdin, walker.stdin = walker.stdin, None
    for line in lines:
        fields = line.text.string.split(None, len(names) - 1)
        for index, name in enumerate(names):
            walker.state.set(name, Text.of(fields[index].strip()) if index < len(fields) else EMPTY)
        walker.scope(lambda: walker.run_all(statement.body), Flow.CONTINUE)
        if walker.flow is not Flow.ON:
            break
    walker.stdin = stdin


# A function's own arguments, which its calls set.
FOR_CALLS = frozenset("@*#")
# More rounds than this of one loop are not walked.
MOST_ROUNDS = 64


def for_each(walker: Walker, statement: For) -> bool | None:
    words = statement.words if statement.words is not None else ()
    values = walker.expander.fields(words)
    known = statement.words is not None and None not in [each.known for each in values] and not _globs(words)
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
        if walker.flow is not Flow.ON or statement.name not in walker.state.asked:
            return
        if len(walker.left) > before and any(_ends_with_success(*each) for each in walker.left[before:]):
            return


def _ends_with_success(flow: Flow, otherwise: Guard) -> bool:
    """A round that ends as soon as a step succeeds is meant to be the last one: the others are for bad luck."""
    return flow in (Flow.BREAK, Flow.RETURN) and all(map(_is_failure, otherwise))


def _is_failure(condition: Condition) -> bool:
    return condition.question.asks is Asks.SUCCESS and condition.answer == "no"


def _perhaps(walker: Walker, statement: For, value: Text) -> None:
    place = walker.place(statement.line, statement.column)
    question = walker.questions.anew(statement.raw_header, place, Asks.LOOP)

    def body() -> None:
        walker.state.set(statement.name, value)
        _some_rounds(walker, statement.body)

    taken = walker.branch((Condition(question, "yes"),), body)
    walker.state.join([taken.changed, ({}, {})], f"`{statement.raw_header}`")
    if taken.flow is not Flow.ON:
        walker.leave(taken.flow, (Condition(question, "no"),))


def _some_rounds(walker: Walker, body: Sequence[Statement]) -> None:
    """Rounds of which nobody knows how many there are: what a round changes is not known in the next one."""
    seen, at_exit, early = len(walker.effects), len(walker.at_exit), len(walker.early)
    trial = walker.branch((), lambda: walker.run_all(body))
    del walker.effects[seen:], walker.at_exit[at_exit:], walker.early[early:]
    for name, value in trial.changed[0].items():
        if value != walker.state.variables.get(name) and not (name in FOR_CALLS or name.isdigit()):
            walker.state.set(name, _changing(name))
    for path, content in trial.changed[1].items():
        if content != walker.state.files.get(path) and path in walker.state.files:
            walker.state.wrote(path, None)
    walker.scope(lambda: walker.run_all(body), Flow.BREAK)


def counting_for(walker: Walker, statement: CountingFor) -> bool | None:
    forget(statement.raw_header, walker.state)
    _some_rounds(walker, statement.body)
    return None


def while_(walker: Walker, statement: While) -> bool | None:
    lines = lines_read(walker, statement)
    if lines is not None:
        walker.scope(lambda: each_line(walker, statement, *lines), Flow.BREAK)
        return None
    endless = tries_for_ever(statement, walker.state.functions)
    answer = condition(walker, statement.condition, statement.body, (), endless=endless)
    goes_round = answer.flipped() if statement.until else answer
    if walker.flow is not Flow.ON or goes_round.value is False:
        return None
    if goes_round.value is True:
        walker.scope(lambda: _counted(walker, statement), Flow.BREAK)
        return None
    taken = walker.branch(goes_round.yes, lambda: _some_rounds(walker, statement.body))
    walker.state.join([taken.changed, ({}, {})], f"`{statement.raw_header}`")
    return None


def _counted(walker: Walker, statement: While) -> None:
    """Round by round, as long as it is known that there is another one."""
    test = statement.condition[0] if len(statement.condition) == 1 else None
    mark = walker.state.mark()
    for _ in range(MOST_ROUNDS):
        if not isinstance(test, Test):
            _some_rounds(walker, statement.body)
            return
        before = len(walker.left)
        walker.scope(lambda: walker.run_all(statement.body), Flow.CONTINUE)
        if len(walker.left) > before:
            _not_sure(walker, mark)  # it may have left, or gone on
        if walker.flow is not Flow.ON or len(walker.left) > before:
            return
        again = walker.tests.value(test.expression)
        if again is None:
            _some_rounds(walker, statement.body)
        if again is statement.until or again is None:
            return
    place = walker.place(statement.line, statement.column)
    walker.not_understood(place, statement.raw_header, f"only the first {MOST_ROUNDS} rounds are followed")


def _not_sure(walker: Walker, mark: tuple[int, int]) -> None:
    """What was changed since then may have been changed again."""
    state = walker.state
    for name in state.variables.changed_since(mark[0]):
        if not (name in FOR_CALLS or name.isdigit()):
            state.set(name, _changing(name))
    for path in state.files.changed_since(mark[1]):
        state.wrote(path, None)


def _changing(name: str) -> Text:
    return Text((Hole(f"${name}", f"{name} changes with every round of a loop"),))


def _globs(words: Sequence[Word]) -> bool:
    return any(_is_glob(part) for word in words if "*" in word.raw or "?" in word.raw for part in word.parts)


def _is_glob(part: WordPart) -> bool:
    return isinstance(part, Literal) and not part.quoted and ("*" in part.text or "?" in part.text)


RUN: dict[type[Any], Callable[[Walker, Any], bool | None]] = {
    AndOr: branches.run_both,
    Background: pipelines.background,
    Broken: _broken,
    Case: case,
    Command: run_command,
    CountingFor: counting_for,
    Declaration: run_declaration,
    For: for_each,
    Function: define,
    Group: pipelines.group,
    If: branches.if_,
    Not: branches.not_,
    Pipeline: pipelines.pipeline,
    Redirected: pipelines.run_redirected,
    Test: _test,
    While: while_,
}
