"""Which conditions of a step count."""

from __future__ import annotations

import pytest

from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.guards import but_its_own, but_marks, guard_in_words, without
from tests.boot.rules.boots import at, given, write


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        ("/etc/modprobe.d/gpu.conf", False),
        ("/etc/modprobe.d/*.conf", False),
        ("/etc/modprobe.d/*.disabled", True),
        ("/etc/*.conf", True),
        ("/etc/modprobe.d/other.conf", True),
    ],
)
def test_a_step_asks_for_its_own_file(asked: str, counts: bool) -> None:
    guard = given("grep -q option", "no", files=(asked,))
    step = write(4, "options nvidia", path="/etc/modprobe.d/gpu.conf", conditions=guard)
    assert but_its_own(step) == (guard if counts else ())


def test_a_mark_that_the_script_sets_itself_does_not_count() -> None:
    mark, other = given("test -e /var/done", "no", files=("/var/done",)), given("test -e /etc/x", files=("/etc/x",))
    step = write(3, "options nvidia", conditions=(*mark, *other))
    assert but_marks(step, Timeline((step, write(4, "", path="/var/done")))) == other
    assert but_marks(step, Timeline((step,))) == (*mark, *other)
    asked = write(3, "options nvidia", conditions=given("systemctl is-active x"))
    assert but_marks(asked, Timeline((asked,))) == asked.conditions


def both(asked: str) -> tuple[Guard, Guard]:
    """The two answers to one question."""
    question = Question(asked, at(1), Asks.STATE)
    yes, no = ((Condition(question, answer),) for answer in ("yes", "no"))
    return yes, no


def test_what_is_left_of_a_step_where_another_undoes_it() -> None:
    yes, no = both("grep -q gpu")
    assert without((), []) == [()]
    assert without((), [()]) == []
    assert without((), [yes]) == [no]
    assert without(yes, [no]) == [yes], "they never happen together"
    assert without(yes, [yes]) == []
    other, _ = both("test -e /x")
    assert without(yes, [other]) == [(*yes, *both("test -e /x")[1])]


def test_more_ways_than_anybody_writes_are_none() -> None:
    undoings = [both(f"test {number}")[0] + both(f"test -e {number}")[0] for number in range(7)]
    assert len(without((), undoings[:6])) == 64
    assert without((), undoings) == []


def test_in_words_only_what_is_not_granted() -> None:
    yes, no = both("grep -q gpu /etc/hosts")
    assert guard_in_words(yes) == f"`{yes[0].shown()}`"
    assert guard_in_words((*yes, *both("test -e /x")[0]), yes) == f"`{both('test -e /x')[0][0].shown()}`"
    assert guard_in_words(yes, yes) == ""
    assert guard_in_words(yes, no) == guard_in_words(yes)
