"""What a test marks: the pieces that it ran, and the parts of conditions that alone decided."""

from __future__ import annotations

from typing import Any

import pytest

from tests.mutants.drawn import Mutant
from tests.mutants.marked import NAMES, NOTED, marked, marks_of
from tests.mutants.operators import changes

PATH = "nodeworthy/facts/made_up.py"
SOURCE = """
def f(a, b, c):
    '''It says so.'''
    if a and b.real and c:
        return 1
    g = [each for each in (a or "none", c)]
    return g
"""


@pytest.fixture(autouse=True)
def _noted() -> None:
    NOTED.marks.clear()
    NOTED.times.clear()


def _made(source: str = SOURCE) -> Any:
    names: dict[str, Any] = dict(NAMES)
    exec(compile(marked(PATH, source)[0], PATH, "exec"), names)
    return names["f"]


def _texts(source: str = SOURCE) -> dict[str, str]:
    """By mark, what stands there."""
    _, pieces, conditions = marked(PATH, source)
    lines = source.splitlines()
    return {
        **{each.mark: lines[each.first - 1].strip() for each in pieces},
        **{
            mark: lines[line - 1][start:end]
            for each in conditions
            for (line, start, end), mark in zip(each.parts, each.marks, strict=True)
        },
    }


@pytest.mark.parametrize(
    ("given", "comes_out", "decided"),
    [
        ((1, 1, 1), 1, {"return 1"}),
        ((0, 1, 1), ["none", 1], {"g = [each for each in (a or \"none\", c)]", "a", '"none"'}),
        ((0, 0, 1), ["none", 1], {"g = [each for each in (a or \"none\", c)]", '"none"'}),
        # Without the first part the second can't be asked.
        ((0, None, 1), ["none", 1], {"g = [each for each in (a or \"none\", c)]", "a", '"none"'}),
        ((1, 1, 0), [1, 0], {"g = [each for each in (a or \"none\", c)]", "c", "a"}),
    ],
)  # fmt: skip
def test_what_decides_alone_is_marked(given: tuple[Any, ...], comes_out: object, decided: set[str]) -> None:
    assert _made()(*given) == comes_out
    assert {_texts()[each] for each in NOTED.marks} == decided


def test_what_is_asked_for_its_truth_alone_differs_by_that_alone() -> None:
    f = _made("def f(a, b):\n    if a or b:\n        return [a or b]\n")
    assert f(1, 2) == [1]
    _, _, (asked, taken) = marked(PATH, "def f(a, b):\n    if a or b:\n        return [a or b]\n")
    assert NOTED.marks & {*asked.marks, *taken.marks} == {taken.marks[0]}


def test_of_many_tests_the_first_few_are_kept() -> None:
    f, kept = _made(), []
    for _ in range(5):
        f(1, 1, 1)
        kept.append(NOTED.taken())
        NOTED.marks.clear()
    assert [len(each) for each in kept] == [1, 1, 1, 0, 0]


def test_what_binds_a_name_or_lies_in_no_function_stays_as_it_is() -> None:
    f = _made("A = 1 and 2\nclass C:\n    b = 3\n    d = b and 4\ndef f():\n    return (x := A) and x, C.d\n")
    assert f() == (2, 4)
    assert NOTED.marks == set()


def test_a_mutant_is_told_by_the_part_that_it_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    found = marked(PATH, SOURCE)[1:]
    monkeypatch.setattr("tests.mutants.marked._of_module", lambda _: found)
    monkeypatch.setattr("tests.mutants.drawn._source", lambda _: SOURCE)
    monkeypatch.setattr("tests.mutants.drawn._lines", lambda _: SOURCE.splitlines())
    texts = _texts()
    told = {
        (each.operator, each.text): [texts[mark] for mark in marks_of(Mutant(PATH, each, 0))]
        for each in changes(SOURCE)
    }
    assert told["part dropped", "((a) and (c))"] == ["b.real"]
    assert told["and for or", "((a) or (b.real) or (c))"] == ["a", "b.real", "c"]
    assert told["off by one", "2"] == ["return 1"]
    assert told["branch dropped", "False"] == ["a", "b.real", "c"]
