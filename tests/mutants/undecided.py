"""`python -m tests.mutants.undecided`: the parts of `and` and `or` that come out one way alone, whatever test is run. Who drops
such a part is noticed by nobody: either nothing needs it, or a case that decides it is missing."""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.drawn import ROOMS, ROOT
from tests.mutants.marked import asked_for_truth
from tests.mutants.reached import ASKED, ON_ANY_DAY, of_programs
from tests.mutants.trial import Instead, each_forked, module_of, warm

if TYPE_CHECKING:
    import pytest

# How many there may be. It goes down alone: who decides some writes the number that is left.
MOST_UNDECIDED = 2_005
# What all tests take, on one processor.
LONGEST_SECONDS = 7200
_MODULES = tuple(module_of(room) for room in ROOMS)


@dataclass(frozen=True, order=True)
class Part:
    path: str
    line: int
    # From which column to which, and how many lines below: the first part of a part begins where that does.
    span: str
    # `and` or `or`, of which it is a part.
    of: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.span}"


# How each part came out, by its place: True, False.
SEEN: dict[str, set[bool]] = defaultdict(set)


def came_out(place: str, value: object) -> object:
    SEEN[place].add(bool(value))
    return value


def given(place: str, value: object) -> object:
    """What is handed on as it is, and not for whether it is true: whoever asks for it decides it."""
    SEEN[place] = {True, False}
    return value


class _Asked(ast.NodeTransformer):
    """Each part of a condition says how it came out. What is written down is a constant, and comes out as it is."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.found: list[Part] = []
        self._for_truth = frozenset(id(each) for each in asked_for_truth(tree))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        of = "and" if isinstance(node.op, ast.And) else "or"
        *others, last = node.values
        is_handed_on = of == "or" and id(node) not in self._for_truth
        hands_on = _is_of_no_truth(last) or (is_handed_on and not _is_yes_or_no(last))
        node.values = [*(self._part(each, of) for each in others), self._part(last, of, hands_on=hands_on)]
        return node

    def _part(self, part: ast.expr, of: str, *, hands_on: bool = False) -> ast.expr:
        if isinstance(part, ast.Constant):
            return part
        span = f"{part.col_offset}-{part.end_col_offset}+{(part.end_lineno or part.lineno) - part.lineno}"
        self.found.append(Part(self.path, part.lineno, span, of, ast.unparse(part)))
        place = ast.Constant(self.found[-1].place)
        inner: ast.expr = self.visit(part)
        asked_for = "__given__" if hands_on else "__came_out__"
        return ast.copy_location(ast.Call(ast.Name(asked_for, ast.Load()), [place, inner], []), part)


def _is_of_no_truth(part: ast.expr) -> bool:
    """What stands behind an `or` as what there is otherwise: a text, a sequence that is written out, what is made of a
    type. No test can make it come out false."""
    made = isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id[:1].isupper()
    written = isinstance(part, ast.List | ast.Tuple | ast.Dict | ast.JoinedStr)
    named = isinstance(part, ast.Name) and part.id.isupper()
    return made or written or named


_SAY_YES_OR_NO = ("all", "any", "bool", "isinstance")
_ASK = ("is_", "has_", "are_")


def _is_yes_or_no(part: ast.expr) -> bool:
    """Whether it is true or false and nothing else. What else stands last behind an `or` that nobody asks for its truth
    is what there is otherwise, and is needed as soon as it is asked for."""
    if isinstance(part, ast.Call):
        return _is_yes_or_no(part.func) or (isinstance(part.func, ast.Name) and part.func.id in _SAY_YES_OR_NO)
    name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
    denied = isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not)
    return denied or isinstance(part, ast.Compare | ast.BoolOp) or name.lstrip("_").startswith(_ASK)


def asked(path: str | Path, source: str) -> tuple[ast.Module, Sequence[Part]]:
    read = ast.parse(source)
    parts = _Asked(str(path), read)
    tree: ast.Module = parts.visit(read)
    return ast.fix_missing_locations(tree), parts.found


def every_part() -> Iterator[Part]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield from asked(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))[1]


def undecided(parts: Iterable[Part], seen: Mapping[str, set[bool]]) -> Iterator[tuple[Part, str]]:
    for part in parts:
        came = seen.get(part.place, set())
        if len(came) < 2:
            yield part, f"always {str(*came).lower()}" if came else "never asked"


@dataclass(frozen=True)
class Share:
    """Of all tests every so many-th, in a child: pytest is there, and nothing of ours."""

    first: int
    step: int
    into: Path

    def __call__(self) -> int:
        import pytest

        vars(builtins).update(__came_out__=came_out, __given__=given)
        sys.meta_path.insert(0, Instead(lambda name: name.startswith(_MODULES), _asked_of))
        quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", ON_ANY_DAY, "--hypothesis-seed=0"]
        pytest.main([*quiet, *ASKED], plugins=[self])
        self.into.write_text(json.dumps({place: sorted(came) for place, came in SEEN.items()}), encoding="utf-8")
        return 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """What runs a program takes a hundred times as long as others."""
        programs = {name for names in of_programs().values() for name in names}
        items[:] = [each for each in items if each.nodeid not in programs][self.first :: self.step]


def _asked_of(path: str) -> ast.Module:
    file = Path(path)
    return asked(file.relative_to(ROOT).as_posix(), file.read_text(encoding="utf-8"))[0]


def seen_by_tests(jobs: int) -> Mapping[str, set[bool]]:
    found: dict[str, set[bool]] = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        shares = [Share(at, jobs, Path(folder) / f"{at}.json") for at in range(jobs)]
        for ended in each_forked(jobs, shares, LONGEST_SECONDS):
            if ended.code != 0:
                raise SystemExit(f"not all tests were run: exit code {ended.code}")
        for share in shares:
            for place, came in json.loads(share.into.read_text(encoding="utf-8")).items():
                found[place].update(came)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.undecided", description=__doc__)
    parser.add_argument("--only", default="", metavar="PATH", help="tell only of files whose path has this in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    options = parser.parse_args(arguments)
    warm()
    parts = list(every_part())
    found = list(undecided(parts, seen_by_tests(options.jobs)))
    for part, how in found:
        if options.only in part.path:
            print(f"{part.path}:{part.line}: {how}, of an `{part.of}`: {part.text}")
    print(f"{len(found)} of {len(parts)} parts of conditions are decided by no test; {MOST_UNDECIDED} may be")
    return 0 if len(found) <= MOST_UNDECIDED else 1


if __name__ == "__main__":
    sys.exit(main())
