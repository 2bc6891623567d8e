"""Files by which a script knows that a step was done: `[[ -f STAMP ]] || { step; touch STAMP; }`."""

from __future__ import annotations

from nodeworthy.boot.conditions import Condition, Guard
from nodeworthy.boot.effects import Effect, How, Writes
from nodeworthy.boot.timeline import Timeline


def but_stamps(guard: Guard, effect: Effect, timeline: Timeline) -> Guard:
    """The conditions without those under which the step was done by an earlier run of the script."""
    asking = [each for each in guard if each.question.files and _is_missing(each)]
    if not asking:
        return guard
    after = [each for each in timeline.after(effect) if isinstance(each, Writes) and each.how is not How.DELETE]
    stamped = {each.key for each in asking if any(_stamps(write, each) for write in after)}
    return tuple(each for each in guard if each.key not in stamped)


def _is_missing(condition: Condition) -> bool:
    return (condition.answer == "yes") is ("!" in condition.question.text)


def _stamps(write: Writes, condition: Condition) -> bool:
    held = {each.key for each in write.conditions}
    return condition.key in held and condition.question.files == {write.path.known}
