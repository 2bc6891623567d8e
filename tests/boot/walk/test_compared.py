"""Two things that are done under comparisons of one value with two literals are not done in one run."""

from __future__ import annotations

import pytest

from nodeworthy.boot.conditions import Asks, Condition, Question, always, together
from nodeworthy.verdict import Place

HERE = Place("boot.sh", 1, 1)


def asked(text: str, answer: str = "yes", asks: Asks = Asks.STATE) -> Condition:
    return Condition(Question(text, HERE, asks), answer)


APART = [
    ('[ "$ROLE" = server ]', "[[ $ROLE == 'agent' ]]"),
    ('[ "${ROLE:-}" = "server" ]', "[ $ROLE = agent ]"),
    ('test "$ROLE" = server', '[ "$ROLE" = "agent" ]'),
    ('%{ if role == "server" }', '%{~ if role == "agent" ~}'),
    ("{% if role == 'server' %}", '{%- elif role == "agent" -%}'),
    ('{{ if eq .Role "server" }}', '{{- if eq .Role "agent" -}}'),
]
PERHAPS = [
    ('[ "$ROLE" = server ]', '[ "$KIND" = agent ]'),
    ('[ "$ROLE" = server ]', '[ "$ROLE" = "server" ]'),
    ('[ "$ROLE" = server ]', '[ "$ROLE" = "$OTHER" ]'),
    ('[ "$ROLE" = server ]', '[ "$ROLE" != agent ]'),
    ("[[ $ROLE == s* ]]", "[[ $ROLE == server ]]"),
    ("%{ if role == server }", "%{ if role == agent }"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_one_value_is_not_two(one: str, other: str) -> None:
    assert not together((asked(one),), (asked(other),))
    assert together((asked(one),), (asked(other, "no"),))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('[ "$ROLE" = server ]', '[ "$ROLE" != server ]'),
        ("[[ $COUNT -eq 0 ]]", "[[ $COUNT -ne 0 ]]"),
        ('%{ if role == "server" }', '%{ if role != "server" }'),
        ('{{ if eq .Role "server" }}', '{{ if ne .Role "server" }}'),
    ],
)
def test_nothing_is_what_it_differs_from(one: str, other: str) -> None:
    assert not together((asked(one),), (asked(other),))
    assert not together((asked(one, "no"),), (asked(one),))
    assert together((asked(one),), (asked(other, "no"),))
    assert together((asked(one, "no"),), (asked(other),))


@pytest.mark.parametrize(("one", "other"), PERHAPS)
def test_other_comparisons_may_hold_both(one: str, other: str) -> None:
    assert together((asked(one),), (asked(other),))


def test_the_next_round_of_a_loop_may_have_the_other_value() -> None:
    loop = asked("for ROLE in $ROLES", asks=Asks.LOOP)
    assert together((loop, asked(APART[0][0])), (loop, asked(APART[0][1])))


def test_what_is_done_under_the_same_questions_is_done_whatever_they_answer() -> None:
    """A function may ask again what was asked before it was called, and get another answer."""
    master, worker = asked('[ "$ROLE" = master ]'), asked('[ "$ROLE" = master ]', "no")
    assert always([(worker, master)], (worker, master)) is True
    assert always([(worker,)], (worker, master)) is True
    assert always([(asked("[ -f /a ]"), master)], (worker, master)) is False
