"""Conditions under which something happens, and whether one thing happens whenever another one does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# More questions than this in one decision, and it is not taken: their combinations are too many.
MOST = 12
YES_OR_NO = ("yes", "no")
# `[ "$ROLE" = server ]`, `%{ if role == "server" }` and `{% if role == 'server' %}`, `{{ if eq .Role "server" }}`; and
# that it is another.
_COMPARES = (
    pattern(
        r"(?:\[\[?|test)\s+[\"']?\$\{?(?P<what>\w+)(?::?-)?\}?[\"']?\s+(?P<how>==?|-eq|!=|-ne)\s+"
        r"(?P<value>[\w./-]+|\"[^\"$`]*\"|'[^']*')(?:\s+\]\]?)?$"
    ),
    pattern(
        r"(?:%\{~?|\{%[-+]?)\s*(?:else\s+|el)?if\s+(?P<what>[\w.]+)\s*(?P<how>[=!]=)\s*"
        r"(?P<value>\"[^\"$%]*\"|'[^']*')\s*[~+-]?%?\}$"
    ),
    pattern(r"\{\{-?\s*(?:else\s+)?if\s+(?P<how>eq|ne)\s+(?P<what>[.$][\w.]+)\s+(?P<value>\"[^\"]*\")\s*-?\}\}$"),
)
_EQUAL = ("=", "==", "-eq", "eq")
# What stands in a trap for EXIT happens when this does.
AT_EXIT = "the script ends"
_ARGUMENT = pattern(r"\$\{?[1-9@#*]")
_DIRECTIVES = ("%{ ", "{% ", "{{ ", "not %{ ", "not {% ", "not {{ ")


class Asks(StrEnum):
    STATE = "state"  # of the machine or of a variable: a test, a grep, a case
    SUCCESS = "success"  # whether a command that does something succeeds: it is meant to
    LOOP = "loop"  # whether a loop runs at all
    TRAP = "trap"  # only when something fails or the script ends
    CALL = "call"  # whether another script, which sources this one, calls the function


# Not frozen: nobody changes one, and every command of a script has several.
@dataclass(slots=True, unsafe_hash=True)
class Question:
    """A condition by which a script decides. Two equal questions have equal answers."""

    text: str
    place: Place
    asks: Asks
    # Every answer there is.
    answers: tuple[str, ...] = YES_OR_NO
    # Files whose state is asked for: `[ -f F ] || …`, `grep -q … F || …` guard a step that must not be done twice.
    files: frozenset[str] = frozenset()
    # Tells apart two askings of the same words between which the answer may have changed.
    asking: int = 0

    @property
    def key(self) -> tuple[str, int]:
        return self.text, self.asking

    @property
    def is_of_template(self) -> bool:
        """Whether it is decided before there is a script, by whoever fills the template in."""
        return self.text.startswith(_DIRECTIVES)


@dataclass(slots=True, unsafe_hash=True)
class Condition:
    """A question and the answer under which something happens."""

    question: Question
    answer: str

    @property
    def key(self) -> tuple[str, int]:
        return self.question.key

    @property
    def is_expected(self) -> bool:
        """A step is meant to succeed; only what happens when it does not is a condition worth a word."""
        return self.question.asks is Asks.SUCCESS and self.answer == "yes"

    def shown(self) -> str:
        question = self.question
        if question.asks is Asks.TRAP:
            return question.text
        if question.answers != YES_OR_NO:
            return f"{question.text} is {self.answer}"
        if question.asks is Asks.SUCCESS:
            return f"{question.text} {'succeeds' if self.answer == 'yes' else 'fails'}"
        if question.asks is Asks.LOOP:
            return question.text
        return question.text if self.answer == "yes" else f"not: {question.text}"


Guard = tuple[Condition, ...]
# To weigh so many against others is a step of its own: in a chain of `elif` each stands under all those before it.
CONDITIONS_A_STEP = 100
# Fewer are found soonest by looking at each.
_FEW = 12


def beyond(conditions: Guard, guard: Guard) -> Guard:
    """Those of the conditions under which nothing stands that stands under the guard."""
    held = _to_look_in(guard)
    return tuple([each for each in conditions if each not in held])


def common(guards: Sequence[Guard]) -> Guard:
    """The conditions that are in all of them."""
    first, *others = guards
    held = [_to_look_in(each) for each in others]
    return tuple([each for each in first if all(each in other for other in held)])


def _to_look_in(guard: Guard) -> Collection[Condition]:
    return guard if len(guard) < _FEW else frozenset(guard)


def without_questions(guard: Guard, about: re.Pattern[str]) -> Guard:
    """The conditions whose questions do not speak of this: whoever asks whether it is needed does it where it is."""
    return tuple(each for each in guard if not about.search(each.question.text))


def is_of_an_argument(condition: Condition) -> bool:
    """Whether it asks what the script was called with: `case $1 in`, `[ "$2" = agent ]`."""
    return _ARGUMENT.search(condition.question.text) is not None


def is_for_others(guard: Guard) -> bool:
    """Whether it stands in a function that only another script calls, in whatever order and beside whatever else."""
    return any(each.question.asks is Asks.CALL for each in guard)


def happens_at_exit(guard: Guard) -> bool:
    return any(each.question.text == AT_EXIT for each in guard)


def always(causes: Sequence[Guard], when: Guard = ()) -> bool | None:
    """Whether at least one of these happens in every case in which `when` holds. None where there are too many cases to
    try, or where somebody else decides: who fills in a template, or who calls a library's functions."""
    held = {(each.key, each.answer) for each in when}
    # A question may be asked twice, and answered otherwise behind a step that changes what it asks for.
    if any(held.issuperset((each.key, each.answer) for each in guard) for guard in causes):
        return True
    fixed = {each.key: each.answer for each in when}
    wanted = [still for guard in causes if (still := _open(guard, fixed)) is not None]
    answer = _covered(wanted, MOST)
    if answer is False and any(map(is_for_others, (when, *causes))):
        return None
    if answer is False and any(each.question.is_of_template for guard in wanted for each in guard):
        machine = [tuple(each for each in guard if not each.question.is_of_template) for guard in wanted]
        return None if _covered(machine, MOST) is not False else False
    return answer


def who_decides(causes: Sequence[Guard], when: Guard = ()) -> str:
    """Why it is not known whether at least one of these always happens: the template directive that decides it, or
    whoever calls a function. Empty where neither does."""
    if always(causes, when) is not None:
        return ""
    if any(map(is_for_others, (when, *causes))):
        return "it depends on which functions of this script another one calls"
    held = {each.key for each in when}
    asked = (each.question for guard in causes for each in guard if each.key not in held)
    told = next((each.text for each in asked if each.is_of_template), "")
    return f"`{told}` decides it when the template is filled in" if told else ""


def together(one: Guard, other: Guard) -> bool:
    """Whether both can happen in one run."""
    if not one or not other:
        return True
    answers = {each.key: each.answer for each in one}
    if not all(answers.get(each.key, each.answer) == each.answer for each in other):
        return False
    # In a loop the next round may have another value.
    if any(each.question.asks is Asks.LOOP for each in (*one, *other)):
        return True
    return not any(_rules_out(said, of_other) for said in _compared(one) for of_other in _compared(other))


def _rules_out(one: tuple[str, str, bool], other: tuple[str, str, bool]) -> bool:
    """Nothing is equal to two literals, nor to one that it differs from."""
    (what, value, is_equal), (other_what, other_value, other_is_equal) = one, other
    if what != other_what or not (is_equal or other_is_equal):
        return False
    return (value == other_value) is not (is_equal and other_is_equal)


def _compared(guard: Guard) -> Iterator[tuple[str, str, bool]]:
    """What is compared with which literal where this holds, and whether it is equal to it."""
    for each in guard:
        text = each.question.text
        found = next(filter(None, (one.match(text) for one in _COMPARES)), None)
        if found is not None and each.answer in YES_OR_NO:
            yield found["what"], found["value"].strip("\"'"), (found["how"] in _EQUAL) is (each.answer == "yes")


def _open(guard: Guard, fixed: dict[tuple[str, int], str]) -> Guard | None:
    """What of a guard is still to be decided; None where it can't hold."""
    still: list[Condition] = []
    for each in guard:
        answer = fixed.get(each.key)
        if answer is None:
            if not each.is_expected:
                still.append(each)
        elif answer != each.answer:
            return None
    return tuple(still)


def _covered(guards: list[Guard], depth: int) -> bool | None:
    if any(not guard for guard in guards):
        return True
    if not guards:
        return False
    if depth == 0:
        return None
    question = guards[0][0].question
    outcomes = []
    for answer in question.answers:
        decided = {question.key: answer}
        left = [still for guard in guards if (still := _open(guard, decided)) is not None]
        outcomes.append(_covered(left, depth - 1))
        if outcomes[-1] is False:
            return False
    return None if None in outcomes else True
