"""The tool itself: each operator does what it says, a seed names the same mutants, a run goes on where it ended."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.drawn import EQUIVALENT, ROOT, drawn, equivalents, of_module
from tests.mutants.kept import Kept
from tests.mutants.marked import NAMES
from tests.mutants.operators import OPERATORS, changed, changes
from tests.mutants.reached import Reach, Reached, importers, probed, rule_of
from tests.mutants.trial import Outcome
from tests.mutants.undecided import asked, undecided

QUANTITIES = "nodeworthy/facts/pod/containers.py"
NOT_SEEN = "nodeworthy/facts/not_seen.py"


def made(operator: str, source: str) -> list[str]:
    lines = [changed(source, each).splitlines()[each.line - 1] for each in changes(source) if each.operator == operator]
    return [line.strip() for line in lines]


@pytest.mark.parametrize(
    ("operator", "line", "expected"),
    [
        ("boundary", "a <= 3", ["a < 3"]),
        ("opposite", "a in b", ["a not in b"]),
        ("tenfold", "x = 15", ["x = 150"]),
        ("tenfold", "x = 1", []),
        ("off by one", "x = y[1]", ["x = y[2]"]),
        ("other truth", "f(known=True)", ["f(known=False)"]),
        ("not dropped", "x = not a.b", ["x = (a.b)"]),
        ("and for or", "x = a and b == 1", ["x = ((a) or (b == 1))"]),
        ("part dropped", "x = a or b", ["x = ((a))", "x = ((b))"]),
        ("branch dropped", "x = a if b else c", ["x = a if False else c"]),
        ("exception dropped", "x = [a for a in b if a.c]", ["x = [a for a in b if True]"]),
        ("value dropped", "def f(): return a.b", ["def f(): return None"]),
        ("value dropped", "def f() -> bool: return False", []),
        ("value dropped", "def f() -> bool | None: return False", ["def f() -> bool | None: return None"]),
        ("value dropped", "def f(): yield a", ["def f(): yield from ()"]),
        ("other end", "x = min(a)[0]", ["x = max(a)[0]", "x = min(a)[-1]"]),
        ("other end", "x = a.startswith(b)", ["x = a.endswith(b)"]),
        ("emptied", "x = (a, b)", ["x = ()"]),
        ("emptied", "x = {a: 1}", ["x = {}"]),
        ("swapped", "x = f(a, b, c=d)", ["x = f(b, a, c=d)"]),
        ("swapped", "x = max(a, b)", []),
    ],
)
def test_what_an_operator_makes_of_a_line(operator: str, line: str, expected: list[str]) -> None:
    assert sorted(made(operator, line)) == sorted(expected)


def test_every_operator_is_shown_above() -> None:
    shown = {mark.args[1][at][0] for mark in _marks() for at in range(len(mark.args[1]))}
    assert shown == set(OPERATORS)


def _marks() -> list[pytest.Mark]:
    return list(getattr(test_what_an_operator_makes_of_a_line, "pytestmark", ()))


def test_words_types_and_what_stands_in_several_lines_are_left() -> None:
    source = (
        '"""1 and 2"""\nif TYPE_CHECKING:\n    a = 1\nx: Callable[[int], Literal[3]]\nA = dict[str, tuple[int, str]]\n'
        "@dataclass(frozen=True)\nclass C: ...\ny = f'{b[1]} and'\nz = f(\n    c,\n    d,\n)\n"
    )
    assert list(changes(source)) == []


def test_all_that_is_made_of_a_module_can_be_read() -> None:
    mutants = list(of_module(QUANTITIES))
    assert len({each.name for each in mutants}) == len(mutants) > 20
    for mutant in mutants:
        ast.parse(mutant.source)
        assert mutant.before != mutant.after


def test_a_seed_names_the_same_and_more_of_it_begins_alike() -> None:
    few = drawn(7, 5, of_module(QUANTITIES))
    assert few == drawn(7, 5, of_module(QUANTITIES)) == drawn(7, 9, of_module(QUANTITIES))[:5]
    assert few != drawn(8, 5, of_module(QUANTITIES))


NESTED = """
class A:
    def b(self):
        '''Says so.'''
        def c():
            yield [x for x in (1, 2) if (lambda: x)()]
        return c
"""


def test_a_function_says_its_name_as_a_mutant_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutants.reached.ROOT", tmp_path)
    (tmp_path / "a.py").write_text(NESTED, encoding="utf-8")
    said: list[str] = []
    scope: dict[str, Any] = {**NAMES, "__ran__": said.append}
    exec(compile(probed(str(tmp_path / "a.py")), "a.py", "exec"), scope)
    made = scope["A"]().b()()
    assert said == ["a.py:A.b"], "nobody has asked for what it yields"
    assert next(made) == [1, 2]
    assert said == ["a.py:A.b", "a.py:A.b.<locals>.c"], "a comprehension is of its function"
    assert {each.function for each in changes(NESTED)} == {"A.b", "A.b.<locals>.c"}
    assert scope["A"].b.__doc__ == "Says so."


def test_tests_of_the_name_first_then_one_of_each_room_in_turn() -> None:
    mutant = next(each for each in of_module(QUANTITIES) if each.change.function == "quantity")
    function = f"{QUANTITIES}:quantity"
    wide = Reach("tests/test_cases.py::test_case[a/b]", 1, frozenset({function, "x:y", "x:z"}))
    named_so = Reach(
        f"tests/facts/test_{Path(QUANTITIES).stem}.py::test", 1, frozenset({function, "x:y", "x:z", "x:a"})
    )
    narrow = Reach("tests/test_cases.py::test_case[a/c]", 1, frozenset({function, "x:y"}))
    elsewhere = Reach("tests/test_cases.py::test_case[e/b]", 1, frozenset({function, "x:y", "x:z", "x:a", "x:b"}))
    other = Reach("tests/test_cases.py::test_case[a/d]", 1, frozenset({f"{QUANTITIES}:other"}))
    every = [wide, narrow, named_so, elsewhere, other]
    assert Reached(every, seconds=10).tests(mutant) == [named_so, narrow, elsewhere, wide]
    assert Reached(every, seconds=2).tests(mutant) == [named_so, narrow]


def test_what_runs_a_program_is_asked_last_and_of_few() -> None:
    """Of its rule, and of a fact's the rules that take from it, one of each in turn."""
    mutant = next(each for each in of_module(NOT_SEEN) if each.change.function)
    quick = Reach("tests/test_cases.py::test_case[a/b]", 1, frozenset({f"{NOT_SEEN}:{mutant.change.function}"}))
    rules = sorted({rule for path in importers(NOT_SEEN) if (rule := rule_of(path))})
    named = {rule: [f"{rule}/first", f"{rule}/second"] for rule in rules}
    told = Reached([quick], 10, {**named, "of-nobody": ["of-nobody/first"]}).tests(mutant)
    assert len(rules) > 1
    assert [each.test for each in told] == [quick.test, *(f"{each}/first" for each in rules), f"{rules[0]}/second"][:4]
    assert (
        rule_of("nodeworthy/rules/gpu_exists.py") == rule_of("nodeworthy/rules/gpu_exists/on_nodes.py") == "gpu-exists"
    )


def test_what_no_function_holds_is_run_by_whoever_imports_it() -> None:
    mutant = next(each for each in of_module(QUANTITIES) if not each.change.function)
    own = Reach("tests/own.py::test", 1, frozenset({f"{QUANTITIES}:quantity"}))
    taker = Reach("tests/taker.py::test", 1, frozenset({"nodeworthy/facts/pod/requests.py:a", "x:y"}))
    other = Reach("tests/other.py::test", 1, frozenset({"x:y"}))
    assert own in Reached([own, taker, other], seconds=10).tests(mutant)
    assert other not in Reached([own, taker, other], seconds=10).tests(mutant)


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    dead, alive, *_ = of_module(QUANTITIES)
    kept = Kept(file)
    kept.keep(Outcome(dead, killed=True, by="a test", seconds=1), tests="then")
    kept.keep(Outcome(alive, killed=False, by="9 tests pass", seconds=1), tests="then")
    file.write_text(file.read_text() + '{"mutant": "torn')
    again = Kept(file)
    assert [again.answers(each.name, "then") is not None for each in (dead, alive)] == [True, True]
    assert [again.answers(each.name, "now") is not None for each in (dead, alive)] == [True, False]


TRIAL = """
import json, sys
from dataclasses import replace
from tests.mutants.drawn import of_module
from tests.mutants.operators import Change
from tests.mutants import trial
from tests.mutants.reached import Reach
trial.warm()
real = list(of_module({path!r}))
kill = next(each for each in real if each.before == "return Fraction(0)" and each.change.operator == "off by one")
hang = replace(kill, change=replace(kill.change, text="sum(1 for _ in iter(int, 1))"))
quick, blind = [Reach("tests/facts/test_quantities.py", 1, ())], [Reach("tests/facts/test_cut_short.py", 1, ())]
trial.START_SECONDS = 4
told = list(trial.tried([(kill, quick), (kill, blind), (hang, quick), (kill, [])], jobs=2))
print(json.dumps([[each.mutant == kill, each.killed, each.by] for each in told]))
"""


def test_a_known_kill_a_known_survivor_and_one_that_hangs() -> None:
    code = TRIAL.format(path=QUANTITIES)
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    told = sorted(json.loads(ran.stdout), key=str)
    assert [(is_kill, killed) for is_kill, killed, _ in told] == [
        (False, True),
        (True, False),
        (True, False),
        (True, True),
    ]
    hangs, *survivors, kill = (by for *_, by in told)
    assert hangs == "it did not end"
    assert survivors[0].endswith("tests pass")
    assert survivors[1] == "no test runs it"
    assert kill.startswith("tests/facts/test_quantities.py::")


def test_what_is_called_equivalent_is_a_mutant_still_and_says_why() -> None:
    paths = {each.path for each in equivalents(EQUIVALENT)}
    there = {(each.path, each.before, each.after) for path in paths for each in of_module(path)}
    for each in equivalents(EQUIVALENT):
        assert (each.path, each.before, each.after) in there, each
        assert len(each.why.split()) > 4, each


def test_parts_that_come_out_one_way_alone_are_told() -> None:
    source = "def f(a, b, c):\n    return (a and b) or c or 0\n"
    tree, parts = asked("f.py", source)
    seen: dict[str, set[bool]] = {}

    def came_out(place: str, value: object) -> object:
        seen.setdefault(place, set()).add(bool(value))
        return value

    names: dict[str, Any] = {"__came_out__": came_out}
    exec(compile(tree, "f.py", "exec"), names)
    assert [names["f"](1, 0, 2), names["f"](1, 0, 0), names["f"](0, 1, 3)] == [2, 0, 3]
    told = {part.text: how for part, how in undecided(parts, seen)}
    assert told == {"b": "always false", "a and b": "always false"}
    assert [each.text for each, _ in undecided(parts, {})] == ["a and b", "a", "b", "c"]


@pytest.mark.parametrize(
    ("written", "called"),
    [
        ("named or f'{path} of it'", "__given__"),
        ("told or Place(path)", "__given__"),
        ("said or _PRIVATE", "__given__"),
        ("said or (path,)", "__given__"),
        ("said or is_it(path)", "__came_out__"),
        ("said or path", "__given__"),
        ("said or path.parent", "__given__"),
        ("said or path.is_there", "__came_out__"),
        ("said or path == given", "__came_out__"),
        ("said or not path", "__came_out__"),
        ("said or any(path)", "__came_out__"),
        ("said and path", "__came_out__"),
        ("1 if said or path else 2", "__came_out__"),
        ("not (said or path)", "__came_out__"),
    ],
)
def test_what_is_handed_on_for_want_of_another_has_one_way_alone(written: str, called: str) -> None:
    tree, _ = asked("f.py", f"x = {written}\n")
    calls = [each.func.id for each in ast.walk(tree) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    assert [each for each in calls if each.startswith("__")] == ["__came_out__", called]
