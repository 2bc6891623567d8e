"""Walks a script as the shell would run it, and notes what it does on its way.

Every branch is walked once, with the condition under which it is taken. What a branch changed is undone before the
next one is walked, and joined behind them: a variable that is the same in all of them is known, else it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from nodeworthy.boot.conditions import CONDITIONS_A_STEP, Condition, Guard, Question, beyond
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Effect, Failure, Gap, How, NotUnderstood, Stage, Writes
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell import branches, pipelines
from nodeworthy.boot.shell.flow import Answer, Failing, Flow, Given, Stream, Taken, word_it_leaves_by
from nodeworthy.boot.shell.questions import Questions
from nodeworthy.boot.shell.state import State, Value, Variables
from nodeworthy.boot.shell.statements import RUN
from nodeworthy.boot.shell.syntax import AndOr, Command, Group, Not, Statement, Substitution
from nodeworthy.boot.shell.tests import Tests
from nodeworthy.boot.shell.words import Expander
from nodeworthy.boot.text import Hole, Text
from nodeworthy.records import replace
from nodeworthy.verdict import Place

T = TypeVar("T")

# Loops and functions multiply: far more than any boot script does, and little enough to end in time. A long script may
# do more than a short one, and what moves long files about does more than it seems.
FEW_STEPS, A_STEP_FOR, LINES_A_STEP = 10_000, 8, 10
DEEPEST = 60


class Walker:
    # What a failure of the function that runs comes to, and whether its call is the script's last command.
    called_under: tuple[Failing | None, bool] = (None, False)

    def __init__(self, origin: Origin, stage: Stage, state: State | None = None, text: str = "") -> None:
        self.origin = origin
        self.text = text
        self.stage = stage
        self.state = state or State()
        self.environment = Variables(self.state)
        self.expander = Expander(self.state, self.substitute)
        self.questions = Questions(self.state, self.expander)
        self.tests = Tests(self.state, self.expander)
        self.effects: list[Effect] = []
        self.guard: Guard = ()
        # What was decided by leaving early: it holds for all that follows, up to where that goes.
        self.left: list[tuple[Flow, Guard]] = []
        # How far each went who left early, under whatever conditions.
        self.early: list[Flow] = []
        self.via: tuple[Place, ...] = ()
        self.failing: Failing | None = None
        self.around = Failure.STOPS  # in the scripts around this one, where it fails as a whole
        # The script's own exit code is that of its last command; who leaves a subshell leaves that alone.
        self.is_last = self.in_a_subshell = False
        # Whether the outermost of what was left early had more to come.
        self.is_cut_short = False
        self.detached = self.gave_up = False
        self.flow = Flow.ON
        self.stdin: Stream | None = None
        self.printed: tuple[list[Line], Guard] | None = None
        self.steps = self.depth = 0
        self.most_steps = FEW_STEPS + len(text) // A_STEP_FOR
        # What runs later: at the end of the script, at the next boot.
        self.at_exit: list[tuple[str, Place, Guard]] = []
        self.fetched: dict[str, Text] = {}
        # The disks of other machines, as scripts that they were given have left them.
        self.machines: dict[str, State] = {}
        self.running: list[str] = []
        # What the function that runs was called with.
        self.given: Given | None = None
        # Where it runs that, while it does.
        self.run_at: tuple[Place, ...] = ()
        # Of each function that runs, what its caller had by the names of its own variables.
        self.locals: list[dict[str, Value | None]] = []

    def end(self) -> None:
        """Lets go of those who know the walker: else it lies about, with all that it holds, until somebody looks."""
        del self.expander, self.questions, self.tests

    def place(self, line: int, column: int) -> Place:
        return self.origin.at(line, column)

    # statements ------------------------------------------------------------------------------------------------

    def run_all(self, statements: Sequence[Statement]) -> bool | None:
        """Runs them in their order; whether the last one succeeds, where that is known."""
        return self.run_some(statements, 0, len(statements))

    def run_some(self, statements: Sequence[Statement], begins: int, ends: int) -> bool | None:
        """Runs those from here on that stand before there."""
        status: bool | None = True
        is_last, last = self.is_last, len(statements) - 1
        for index in range(begins, ends):
            each = statements[index]
            behind = statements[index + 1] if index < last else None
            leaves = word_it_leaves_by(behind)
            self.is_last = (is_last and index == last) or (not self.in_a_subshell and leaves == "exit")
            status = self.run(each) if leaves != "return" or not self.running else self._as_the_function_ends(each)
            if self.flow is not Flow.ON:
                self.is_cut_short = index < last
                break
        self.is_last = is_last
        return status

    def _as_the_function_ends(self, statement: Statement) -> bool | None:
        """Whoever called the function hears of it."""
        failing, (self.failing, self.is_last) = self.failing, self.called_under
        try:
            return self.run(statement)
        finally:
            self.failing = failing

    def run(self, statement: Statement) -> bool | None:
        self.steps += 1
        if self.steps > self.most_steps or self.depth > DEEPEST:
            self._too_much(statement)
            return None
        self.depth += 1
        try:
            return RUN[type(statement)](self, statement)
        finally:
            self.depth -= 1

    def deeper(self, place: Place, raw: str, run: Callable[[], T]) -> T | None:
        """A command inside of another."""
        if self.depth > DEEPEST:
            self.not_understood(place, raw, "it is nested too deeply")
            return None
        self.depth += 1
        try:
            return run()
        finally:
            self.depth -= 1

    def _too_much(self, statement: Statement) -> None:
        place = self.place(statement.line, statement.column)
        if self.steps <= self.most_steps:
            self.not_understood(place, getattr(statement, "raw", ""), "it is nested too deeply")
            return
        self.flow = Flow.EXIT
        if not self.gave_up:
            self.gave_up = True
            # Whatever stands in it may still happen, or happen again.
            self.not_understood(place, self.text, "the script does more than is followed", ends_it=True)

    def weighs(self, content: Content | None) -> None:
        """Counts steps for a command that moves content: more for a long file."""
        self.steps += len(content.lines) // LINES_A_STEP if content is not None else 0

    def ask(self, statement: Statement) -> Answer:
        """Runs a statement whose outcome decides something, and says under which conditions it comes out how."""
        if not isinstance(statement, Command):
            if isinstance(statement, Not):
                return self.ask(statement.command).flipped()
            if isinstance(statement, AndOr):
                return branches.ask_both(self, statement)
            if isinstance(statement, Group) and len(statement.body) == 1 and not statement.subshell:
                return self.ask(statement.body[0])
        # The question is put before the command changes what it asks about.
        question = self.questions.of(statement, self.place(statement.line, statement.column))
        value = self.run(statement)
        return self.answered(question, value)

    def outcome(self, statement: Statement) -> bool | None:
        """The value of the answer alone."""
        if isinstance(statement, Not):
            value = self.outcome(statement.command)
            return None if value is None else not value
        if isinstance(statement, AndOr):
            return branches.run_both(self, statement)
        if isinstance(statement, Group) and len(statement.body) == 1 and not statement.subshell:
            return self.outcome(statement.body[0])
        return self.run(statement)

    @staticmethod
    def answered(question: Question, value: bool | None) -> Answer:
        return Answer(value, (Condition(question, "yes"),), (Condition(question, "no"),))

    # branches --------------------------------------------------------------------------------------------------

    def branch(self, conditions: Guard, run: Callable[[], object]) -> Taken:
        """Walks what happens only under these conditions, and undoes what it changed."""
        mark, guard, left = self.state.mark(), self.guard, len(self.left)
        self.guard = guard + conditions
        run()
        flow, self.flow = self.flow, Flow.ON
        self.guard = guard
        del self.left[left:]
        return Taken(conditions, flow, self.state.back_to(mark))

    def leave(self, flow: Flow, otherwise: Guard) -> None:
        """Notes that a branch left early: what follows happens under the other conditions."""
        self.early.append(flow)
        self.steps += len(self.guard) // CONDITIONS_A_STEP
        fresh = beyond(otherwise, self.guard)
        if fresh:
            self.guard += fresh
            self.left.append((flow, fresh))

    def scope(self, run: Callable[[], Any], ends: Flow) -> Any:
        """Runs a loop or a function. `break` and `return` leave this one only; `exit` goes further. Where one way ends
        here, the script goes on behind it, whatever the last line says: `for …; do ready && return; done; exit 1`."""
        guard, left, early = self.guard, len(self.left), len(self.early)
        result = run()
        self.guard = guard
        if len(self.left) > left:
            self._under_what_leads_on(left, ends)
        left_here = self._left_up_to(ends, early)
        if self.flow <= ends or left_here:
            self.flow = Flow.ON
        return None if left_here else result

    def _under_what_leads_on(self, since: int, ends: Flow) -> None:
        """What goes further was left under these conditions; whoever had ended before was never asked."""
        before = next((at for at, each in enumerate(self.left[since:]) if each[0] <= ends), len(self.left))
        further = [each for each in self.left[since : since + before] if each[0] > ends]
        self.left[since:] = further
        for _, conditions in further:
            self.guard += conditions

    def _left_up_to(self, ends: Flow, since: int) -> bool:
        """Whether somebody left early since then, and no further."""
        further = [each for each in self.early[since:] if each > ends]
        left_here = len(self.early) > since + len(further)
        self.early[since:] = further
        return left_here

    def as_given(self, given: Given, place: Place, run: Callable[[], T]) -> T:
        """`"$@"` of a function, which runs it here: the command stands where the function was called."""
        via, run_at = self.via, self.run_at
        self.via, self.run_at, self.given = given.via, (place, *reversed(via)), None
        result = run()
        self.via, self.run_at, self.given = via, run_at, given
        return result

    # what comes of a command -----------------------------------------------------------------------------------

    def failure(self) -> Failure:
        """What happens where the command that runs now fails."""
        failing = self.failing
        if failing is None:
            how = self._by_options()
        elif failing.explicit:
            return failing.how
        else:
            how = failing.how
        return Failure.STOPS if how in (Failure.UNNOTICED, Failure.PERHAPS) and self.is_last else how

    def _by_options(self) -> Failure:
        if self.detached:
            return Failure.UNNOTICED
        if self.state.options.errexit:
            return Failure.STOPS
        if self.state.options.reports:
            return Failure.REPORTED
        return Failure.PERHAPS if self.state.options.is_doubtful else Failure.UNNOTICED

    def emit(self, effect: Effect) -> None:
        if isinstance(effect, Writes):
            self.weighs(effect.whole)
            path = effect.path.known
            if path is not None:
                effect = self._written(effect, path)
        effect.around = self.around
        self.effects.append(effect)

    def _written(self, effect: Writes, path: str) -> Writes:
        """The disk after it. What goes through a link goes into the file behind it."""
        state = self.state
        if effect.how is How.DELETE:
            state.links.pop(path, None)
            state.removed(path)
        elif effect.how is How.LINK:
            target = effect.expressions[0].known if effect.expressions else None
            if target is not None and target.startswith("/"):
                state.links[path] = target
        else:
            behind = state.behind(path)
            # An edit of what the image brings (bootstrap.sh, say) leaves it what it is: nobody has read it before.
            if effect.how is not How.EDIT or effect.whole is not None or behind in state.files:
                state.wrote(behind, effect.whole)
            return effect if behind == path else replace(effect, path=Text((behind,)))
        return effect

    def not_understood(
        self, place: Place, text: str, why: str, *, kind: Gap = Gap.ITS_WORDS, ends_it: bool = False
    ) -> None:
        self.emit(
            NotUnderstood(
                place=place,
                stage=self.stage,
                command=text[:200],
                conditions=self.guard,
                via=self.via,
                failure=self.failure(),
                written=text,
                why=why,
                kind=kind,
                ends_it=ends_it,
            )
        )

    # output ----------------------------------------------------------------------------------------------------

    def prints(self, content: Content | None, place: Place, raw: str) -> None:
        """What a command prints into a redirect, a pipe or `$(…)`, by which the script catches it."""
        if self.printed is None:
            return
        lines, guard = self.printed
        if content is None:
            lines.append(Line(Text((Hole(raw, f"what `{raw[:80]}` prints is known only on the node"),)), place))
        elif self.guard[len(guard) :] and any(not each.is_expected for each in self.guard[len(guard) :]):
            lines.append(Line(Text((Hole(raw, "it is printed only under a condition"),)), place))
        else:
            self.weighs(content)
            lines += content.lines

    def caught(self, run: Callable[[], T]) -> tuple[T, Content]:
        """What is printed while this runs."""
        outer, self.printed = self.printed, ([], self.guard)
        try:
            result = run()
            return result, Content(tuple(self.printed[0]))
        finally:
            self.printed = outer

    def substitute(self, part: Substitution) -> Content | None:
        """Runs `$(…)`: a shell of its own, which leaves nothing behind but what it prints."""
        is_last, self.is_last, early = self.is_last, False, len(self.early)
        _, content = self.caught(lambda: pipelines.in_subshell(self, part.body))
        self.is_last, self.flow = is_last, Flow.ON
        del self.early[early:]
        return content if content.hole is None else None
