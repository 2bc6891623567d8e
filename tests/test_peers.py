"""The faults that other linters are shown: each is one, its mend mends it, and what is counted is the difference."""

from __future__ import annotations

import sys

import pytest

from bench.peers import Fault, Peer, Said, faults, page, peers, said

FAULTS = faults()
OURS = peers()[0]
ONE = Fault("one", "a.sh", "bad\n", "good\n", "")


def speaks(program: str) -> Peer:
    return Peer("other", [sys.executable, "-c", program], [], lambda out: set(out.split()), (".sh",))


def test_there_are_fourteen_and_each_is_another_one() -> None:
    assert len({each.name for each in FAULTS}) == len(FAULTS) == 14
    assert all(each.bad != each.good for each in FAULTS)


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS, ids=[each.name for each in FAULTS])
def test_we_say_it_of_the_one_and_not_of_the_mended(fault: Fault) -> None:
    told = said(OURS, fault)
    assert told is not None
    assert len(told.of_it) == 1


def test_what_is_said_of_both_is_not_of_the_fault() -> None:
    assert said(speaks("print('style')"), ONE) == Said(frozenset(), 1)
    assert said(speaks("print('style', open('a.sh').read())"), ONE) == Said(frozenset({"bad"}), 1)


def test_what_it_does_not_read_is_not_held_against_it() -> None:
    fault = Fault("other", "a.tf", "bad\n", "good\n", "")
    assert said(speaks("print('bad')"), fault) is None
    shown = page({"other": {"x": None}, "one": {"x": Said(frozenset({"A1 text"}), 2)}}, {"x": "x 1.0"})
    assert "| other | does not read it |" in shown
    assert "| one | `A1` (and 2 of other matters) |" in shown
    assert "| **seen, of 2** | **1** |" in shown
