"""Which tests run which piece of a function, and in which of them one part of a condition alone decides what comes of it.

A function that a thousand tests run has pieces that three of them run, and parts of conditions that make a difference in two:
who asks those first need not ask the others. Of each the first few are kept, by a name that stays as long as its text does.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from tests.mutants.drawn import ROOT, Mutant

# Of how many tests it is kept that they ran a piece, by each process that runs some.
MOST = 3
Part = Callable[[], object]


@dataclass
class Noted:
    """What the test that runs now has marked; `times` counts the tests that marked it before."""

    marks: set[str] = field(default_factory=set)
    times: Counter[str] = field(default_factory=Counter)
    # What would come of a condition without one of its parts is found by asking the others, which says nothing by itself.
    supposing: bool = False

    def ran(self, mark: str) -> None:
        if self._is_wanted(mark):
            self.marks.add(mark)

    def decided(self, marks: Sequence[str], is_and: bool, is_test: bool, parts: Sequence[Part]) -> object:
        """What the condition comes out as, each of its parts asked as far as Python would ask them."""
        value: object = is_and
        for at, part in enumerate(parts):
            value = part()
            if bool(value) is not is_and:
                if self._is_wanted(marks[at]) and self._differs(value, is_and, is_test, parts[at + 1 :]):
                    self.marks.add(marks[at])
                return value
        if not is_test and self._is_wanted(marks[-1]):
            self.marks.add(marks[-1])
        return value

    def _is_wanted(self, mark: str) -> bool:
        return not self.supposing and mark not in self.marks and self.times[mark] < MOST

    def _differs(self, value: object, is_and: bool, is_test: bool, others: Sequence[Part]) -> bool:
        self.supposing = True
        try:
            without = _value_of(others, is_and)
            return bool(without) is not bool(value) or (not is_test and without != value)
        except RecursionError:
            return False
        except Exception:  # noqa: BLE001
            return True  # what the part guards against would be seen
        finally:
            self.supposing = False

    def taken(self) -> list[str]:
        """Those of a test that ended."""
        self.times.update(self.marks)
        return sorted(self.marks)


def _value_of(parts: Sequence[Part], is_and: bool) -> object:
    value: object = is_and
    for part in parts:
        value = part()
        if bool(value) is not is_and:
            break
    return value


NOTED = Noted()
NAMES = {"__piece__": NOTED.ran, "__decides__": NOTED.decided}


@dataclass(frozen=True)
class Piece:
    """Statements that run one behind the other."""

    first: int
    last: int
    mark: str


# Line, first and last column.
Span = tuple[int, int, int]


@dataclass(frozen=True)
class Condition:
    whole: Span
    parts: tuple[Span, ...]
    word: str
    marks: tuple[str, ...]


class _Marking(ast.NodeTransformer):
    """What lies in functions says when it is run."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self.path = path
        self.pieces: list[Piece] = []
        self.conditions: list[Condition] = []
        self._tests = frozenset(id(each) for each in asked_for_truth(tree))
        self._same: Counter[str] = Counter()
        self._within = False

    def _mark(self, text: str) -> str:
        self._same[text] += 1
        return hashlib.sha256(f"{self.path}\0{text}\0{self._same[text]}".encode()).hexdigest()[:12]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        before, self._within = self._within, True
        node.body = self._pieces(node.body, is_first=True)
        self._within = before
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        before, self._within = self._within, False
        self.generic_visit(node)
        self._within = before
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
            elif isinstance(value, list) and value and isinstance(value[0], ast.stmt) and self._within:
                setattr(node, name, self._pieces(value, is_first=False))
            elif isinstance(value, list):
                setattr(node, name, [self.visit(each) if isinstance(each, ast.AST) else each for each in value])
        return node

    def _pieces(self, block: list[ast.stmt], *, is_first: bool) -> list[ast.stmt]:
        """What begins a function says so already; what stands behind an `if` need not run where that does."""
        made: list[ast.stmt] = []
        begins = not is_first
        for each in block:
            if begins:
                mark = self._mark(ast.unparse(each))
                self.pieces.append(Piece(each.lineno, block[-1].end_lineno or each.lineno, mark))
                made.append(_call("__piece__", each, mark))
            begins = hasattr(each, "body")
            made.append(self.visit(each))
        return made

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        text, word = ast.unparse(node), "and" if isinstance(node.op, ast.And) else "or"
        is_asked = self._within and not any(isinstance(each, _NOT_ELSEWHERE) for each in ast.walk(node))
        marks = tuple(self._mark(f"{text}\0{ast.unparse(each)}") for each in node.values) if is_asked else ()
        if is_asked:
            parts = tuple(map(_span, node.values))
            self.conditions.append(Condition(_span(node), parts, word, marks))
        is_test = id(node) in self._tests
        node.values = [self.visit(each) for each in node.values]
        return _asked(node, marks, is_test) if is_asked else node


# What is bound in a function of its own is bound there alone.
_NOT_ELSEWHERE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
_NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _asked(node: ast.BoolOp, marks: Sequence[str], is_test: bool) -> ast.AST:
    parts: list[ast.expr] = [ast.Lambda(_NO_ARGUMENTS, each) for each in node.values]
    named: list[ast.expr] = [ast.Constant(each) for each in marks]
    said = [ast.Tuple(named, ast.Load()), ast.Constant(isinstance(node.op, ast.And)), ast.Constant(is_test)]
    call = ast.Call(ast.Name("__decides__", ast.Load()), [*said, ast.Tuple(parts, ast.Load())], [])
    return ast.copy_location(call, node)


def _call(name: str, beside: ast.stmt, mark: str) -> ast.stmt:
    return ast.copy_location(ast.Expr(ast.Call(ast.Name(name, ast.Load()), [ast.Constant(mark)], [])), beside)


def _span(node: ast.expr) -> Span:
    return node.lineno, node.col_offset, node.end_col_offset or node.col_offset


def asked_for_truth(tree: ast.Module) -> Iterator[ast.expr]:
    """What is asked for its truth alone."""
    found: set[int] = set()
    for node in ast.walk(tree):
        asked: list[ast.expr] = []
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            asked = [node.test]
        elif isinstance(node, ast.comprehension):
            asked = node.ifs
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            asked = [node.operand]
        elif isinstance(node, ast.BoolOp) and id(node) in found:
            asked = node.values
        found.update(map(id, asked))
        yield from asked


def marked(path: str, source: str) -> tuple[ast.Module, Sequence[Piece], Sequence[Condition]]:
    tree = ast.parse(source)
    marking = _Marking(path, tree)
    marking.visit(tree)
    return ast.fix_missing_locations(tree), marking.pieces, marking.conditions


@cache
def _of_module(path: str) -> tuple[Sequence[Piece], Sequence[Condition]]:
    return marked(path, (ROOT / path).read_text(encoding="utf-8"))[1:]


def marks_of(mutant: Mutant) -> list[str]:
    """What a test that notices it will have marked, the most telling first."""
    pieces, conditions = _of_module(mutant.path)
    line = mutant.change.line
    around = sorted(
        (each for each in pieces if each.first <= line <= each.last), key=lambda each: each.last - each.first
    )
    return [*_of_conditions(mutant, conditions), *(each.mark for each in around[:1])]


def _of_conditions(mutant: Mutant, conditions: Sequence[Condition]) -> list[str]:
    change = mutant.change
    found: list[tuple[int, str]] = []
    for condition in conditions:
        if condition.whole == (change.line, change.start, change.end):
            return list(_changed_parts(mutant, condition))
        for (line, start, end), mark in zip(condition.parts, condition.marks, strict=True):
            if line == change.line and start <= change.start and change.end <= end:
                found.append((end - start, mark))
    return [mark for _, mark in sorted(found)]


def _changed_parts(mutant: Mutant, condition: Condition) -> Iterator[str]:
    """Of a part that is dropped its own mark, else those of all."""
    line = mutant.line_before.encode()
    texts = [line[start:end].decode() for _, start, end in condition.parts]
    for at, mark in enumerate(condition.marks):
        kept = f" {condition.word} ".join(f"({text})" for other, text in enumerate(texts) if other != at)
        if mutant.change.text == f"({kept})":
            yield mark
            return
    yield from condition.marks
