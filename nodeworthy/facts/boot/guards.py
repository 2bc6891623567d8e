"""Conditions as rules weigh them: which of them count, and what is left of one step where another undoes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from nodeworthy.boot.conditions import Condition, Guard, together
from nodeworthy.boot.effects import Effect, Writes
from nodeworthy.boot.timeline import Timeline

# More than this, and what is left of a step is taken for nothing: nobody writes such scripts.
MOST = 64


def but_its_own(effect: Writes) -> Guard:
    """The conditions of a write, without those that only ask whether the file is there and right already."""
    path = effect.path.known
    if path is None:
        return effect.conditions
    return tuple(each for each in effect.conditions if not any(_is_among(path, one) for one in each.question.files))


def _is_among(path: str, pattern: str) -> bool:
    """Whether this is the file, or one of `/etc/modprobe.d/*.conf`: a `*` of the shell goes over no slash."""
    return path == pattern or (path.count("/") == pattern.count("/") and fnmatchcase(path, pattern))


def but_marks(effect: Effect, timeline: Timeline) -> Guard:
    """The conditions of a step, without those that ask for a file by which the script knows that it was done."""
    if not any(each.question.files for each in effect.conditions):
        return effect.conditions
    marks = {each.path.known for each in timeline.of(Writes)}
    return tuple(each for each in effect.conditions if not each.question.files & marks)


def without(guard: Guard, undoings: Iterable[Guard]) -> list[Guard]:
    """When something happens and none of these others does."""
    left = [guard]
    for undoing in undoings:
        left = [each for one in left for each in _but(one, undoing)]
        if len(left) > MOST:
            return []
    return left


def _but(guard: Guard, undoing: Guard) -> list[Guard]:
    if not together(guard, undoing):
        return [guard]
    held = {each.key for each in guard}
    return [
        (*guard, Condition(each.question, answer))
        for each in undoing
        if each.key not in held and not each.is_expected
        for answer in each.question.answers
        if answer != each.answer
    ]


def guard_in_words(guard: Sequence[Condition], beyond: Sequence[Condition] = ()) -> str:
    """The conditions in words, beyond those that are granted."""
    granted = {(each.key, each.answer) for each in beyond}
    words = [each.shown() for each in guard if not each.is_expected and (each.key, each.answer) not in granted]
    return " and ".join(f"`{each}`" for each in words)
