"""Functions: which one a name stands for, and what a call does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING

from nodeworthy.boot.commands.table import PROGRAMS
from nodeworthy.boot.conditions import Asks, Condition, Guard, Question, beyond, together
from nodeworthy.boot.shell.branches import go_on
from nodeworthy.boot.shell.flow import Flow, Given, Taken, run_body
from nodeworthy.boot.shell.state import Defined, Value, cut_to_limit
from nodeworthy.boot.shell.syntax import Function
from nodeworthy.boot.shell.wrappers import unwrap
from nodeworthy.boot.text import Hole, Text
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.boot.shell.walker import Walker

# More cases than these of one name are not told apart.
MOST_CASES = 4
_NUMBERED = tuple("123456789")
_ARGUMENTS = (*_NUMBERED, "@", "*", "#")
_CALLER = "the script that sources this one"
_COMMENT = pattern(r"(?m)(?:^|(?<=\s))#.*")
# A name where a command begins; what stands behind another word is that one's.
_CALLED = pattern(
    r"(?m)(?:^|[;&|({`!]|\b(?:then|do|else|if|elif|while|until|time|trap)\b)[ \t]*([\w][\w.:-]*)(?![\w/=-])"
)


def define(walker: Walker, function: Function) -> bool:
    """A function that another branch defines, too, is one or the other of them."""
    here = tuple(each for each in walker.guard if not each.is_expected)
    known = walker.state.defined.get(function.name, ())
    others = [each for each in known if not all(condition in each.guard for condition in here)]
    walker.state.defined[function.name] = (*others, Defined(here, function, walker.origin))
    walker.state.functions[function.name] = function
    return True


def run_function(
    walker: Walker, name: str, arguments: Sequence[Text], place: Place, program: Callable[[], bool | None]
) -> bool | None:
    """Calls what the name stands for here: where branches define it, each of their functions in its case."""
    defined = walker.state.defined[name]
    last = defined[-1]
    if not last.guard:
        return _call(walker, last, arguments, place)
    taken: list[Taken] = []
    # In which cases none of those that were looked at so far is the one.
    cases: list[Guard] = [()]
    for function in reversed(defined):
        fresh = beyond(function.guard, walker.guard)
        here = [_both(case, fresh) for case in cases if together((*walker.guard, *case), function.guard)]
        if here == [()]:
            return _call(walker, function, arguments, place)
        run = partial(_call, walker, function, arguments, place)
        taken += [walker.branch(case, run) for case in here]
        cases = _cases_left(walker, cases, fresh, name, place)
    if _is_program(name) or not taken:
        taken += [walker.branch(case, program) for case in cases]
    go_on(walker, taken, f"which `{name}` there is")
    return None


def _cases_left(walker: Walker, cases: Sequence[Guard], guard: Guard, name: str, place: Place) -> list[Guard]:
    """What of these cases is left where the guard does not hold."""
    left = [_both(case, other) for case in cases for other in _others(guard) if together(case, other)]
    if len(left) <= MOST_CASES:
        return left
    return [(Condition(walker.questions.anew(f"there is another `{name}`", place, Asks.STATE), "yes"),)]


def _others(guard: Guard) -> Iterator[Guard]:
    """All the cases in which a guard does not hold."""
    for index, each in enumerate(guard):
        for answer in each.question.answers:
            if answer != each.answer:
                yield (*guard[:index], Condition(each.question, answer))


def _both(one: Guard, other: Guard) -> Guard:
    return one + beyond(other, one)


def _is_program(name: str) -> bool:
    """Whether the name stands for something where no function has it."""
    return name in PROGRAMS or unwrap(name, (Text((name,)),)) is not None


def _call(walker: Walker, defined: Defined, arguments: Sequence[Text] | None, place: Place) -> bool | None:
    """None stands for arguments that nobody here knows."""
    function = defined.function
    if walker.running.count(function.name) > 1:
        walker.not_understood(place, function.name, "a function that calls itself is not followed")
        return None
    via, origin, given, called_under = walker.via, walker.origin, walker.given, walker.called_under
    walker.called_under = (walker.failing, walker.is_last)
    outer = walker.state.variables.held(_ARGUMENTS)
    if arguments is None:
        walker.state.variables.lay(_given_by_its_caller())
    else:
        set_arguments(walker, arguments)
    if given is None or not arguments or not given.holds(arguments[0]):
        walker.given = Given(tuple(arguments or ()), place, via)
    walker.via, walker.origin = (*via, place), defined.origin
    walker.running.append(function.name)
    walker.state.has_called = True
    walker.locals.append({})
    status = walker.scope(lambda: run_body(walker, function.body), Flow.RETURN)
    walker.running.pop()
    walker.via, walker.origin, walker.given, walker.called_under = via, origin, given, called_under
    for local, value in walker.locals.pop().items():
        walker.state.unset(local)
        outer.setdefault(local, value)
    # The caller's own arguments, and what is local; any other variable that a function sets stays set.
    walker.state.variables.lay(outer)
    return bool(status) if status is not None and function.body else status


def call_for_others(walker: Walker) -> None:
    """Calls what a library offers to those who source it: each function that no other function of it calls. Nobody
    knows here which of them one run calls, in which order, what their caller has set, or whether it ends where a
    command fails. So no two of them are taken to happen together."""
    walker.state.sourced = _CALLER
    walker.state.options.reports = True
    called = Counter(_CALLED.findall(_COMMENT.sub("", walker.text)))
    every = walker.state.defined
    own = [each for name in every if called[name] <= len(every[name]) for each in every[name]]
    if own:
        first = own[0].origin.at(own[0].function.line, own[0].function.column)
        names = tuple(dict.fromkeys(each.function.name for each in own))
        asked = Question("the function that another script calls", first, Asks.CALL, (*names, "another"))
        for each in own:
            _call_for_others(walker, each, asked)


def _call_for_others(walker: Walker, defined: Defined, asked: Question) -> None:
    function = defined.function
    place = defined.origin.at(function.line, function.column)
    outer = walker.state.variables.held(_ARGUMENTS)
    called = (*defined.guard, Condition(asked, function.name))
    taken = walker.branch(called, lambda: _call(walker, defined, None, place))
    walker.state.join([taken.changed, ({}, {})], f"whether {function.name} is called")
    walker.state.variables.lay(outer)


def _given_by_its_caller() -> dict[str, Value | None]:
    return {name: Text.of(Hole(f"${name}", "whoever calls the function gives it")) for name in _ARGUMENTS}


def set_arguments(walker: Walker, arguments: Sequence[Text]) -> None:
    given: dict[str, Value | None] = dict(zip_longest(_NUMBERED, arguments[: len(_NUMBERED)]))
    given["@"] = given["*"] = cut_to_limit("@", tuple(arguments))
    given["#"] = Text((str(len(arguments)),))
    walker.state.variables.lay(given)
