"""What is made wrong: each operator changes one place in one line, as somebody might by mistake."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True)
class Change:
    """A piece of one line, and what stands there instead; columns are in bytes, as ast counts them."""

    operator: str
    # The innermost function by its qualified name, "" outside of any.
    function: str
    line: int
    start: int
    end: int
    text: str


# A piece of the source, and its replacement.
Edit = tuple[ast.AST, str]
Operator = Callable[[ast.AST, Callable[[ast.AST], str]], Iterator[Edit]]

_BOUNDARY = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_OPPOSITE = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Lt: ">=",
    ast.LtE: ">",
    ast.Gt: "<=",
    ast.GtE: "<",
}
_OTHER_END = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "startswith": "endswith",
    "endswith": "startswith",
    "removeprefix": "removesuffix",
    "removesuffix": "removeprefix",
    "partition": "rpartition",
    "rpartition": "partition",
    "lstrip": "rstrip",
}


def _compared(operators: dict[type[ast.cmpop], str], node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in operators:
        yield node, f"{text(node.left)} {operators[type(node.ops[0])]} {text(node.comparators[0])}"


def _number(node: ast.AST) -> float | None:
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number and isinstance(node, ast.Constant) else None  # type: ignore[return-value]


def _tenfold(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    number = _number(node)
    if number is not None and number not in (0, 1, -1):
        yield node, repr(number * 10)


def _off_by_one(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    number = _number(node)
    if number is not None:
        yield node, repr(number + 1)


def _other_truth(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, repr(not node.value)


def _not_dropped(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"({text(node.operand)})"


def _and_for_or(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.BoolOp):
        word = " or " if isinstance(node.op, ast.And) else " and "
        yield node, f"({word.join(f'({text(each)})' for each in node.values)})"


def _part_dropped(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            kept = [each for each in node.values if each is not value]
            word = " and " if isinstance(node.op, ast.And) else " or "
            yield node, f"({word.join(f'({text(each)})' for each in kept)})"


def _branch_dropped(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield node.test, "False"


def _exception_dropped(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    """What is passed over no longer is, and what is caught no longer."""
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield test, "True"
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        yield node.type, "ZeroDivisionError"


def _value_dropped(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.FunctionDef):
        says_yes_or_no = isinstance(node.returns, ast.Name) and node.returns.id == "bool"
        for each in _returns(node):
            if not (
                isinstance(each, ast.Constant) and (each.value is None or (says_yes_or_no and each.value is False))
            ):
                yield each, "None"
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, (ast.Yield, ast.YieldFrom))
        and node.value.value is not None
    ):
        yield node, "yield from ()"


def _returns(node: ast.AST) -> Iterator[ast.expr]:
    """What a function returns. Of one that says no more than yes or no, nothing is as good as no."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return) and child.value is not None:
            yield child.value
        if not isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _returns(child)


def _other_end(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.Subscript) and text(node.slice) in ("0", "-1"):
        yield node.slice, "-1" if text(node.slice) == "0" else "0"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OTHER_END:
        yield node.func, _OTHER_END[node.func.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OTHER_END:
        yield node.func, f"{text(node.func.value)}.{_OTHER_END[node.func.attr]}"


def _emptied(node: ast.AST, _: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(node.ctx, ast.Load) and node.elts:
        yield node, "[]" if isinstance(node, ast.List) else "()"
    if isinstance(node, (ast.Set, ast.SetComp)):
        yield node, "set()"
    if isinstance(node, ast.ListComp):
        yield node, "[]"
    if isinstance(node, ast.DictComp) or (isinstance(node, ast.Dict) and node.keys):
        yield node, "{}"


# Of these it does not matter which of two is named first.
_EITHER_WAY = frozenset({"max", "min"})


def _swapped(node: ast.AST, text: Callable[[ast.AST], str]) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _EITHER_WAY:
        return
    if isinstance(node, ast.Call) and len(node.args) > 1 and not isinstance(node.args[0], ast.Starred):
        first, second, *rest = node.args
        if not isinstance(second, ast.Starred) and text(first) != text(second):
            others = [*map(text, rest), *map(text, node.keywords)]
            yield node, f"{text(node.func)}({', '.join((text(second), text(first), *others))})"


OPERATORS: dict[str, Operator] = {
    "boundary": partial(_compared, _BOUNDARY),
    "opposite": partial(_compared, _OPPOSITE),
    "tenfold": _tenfold,
    "off by one": _off_by_one,
    "other truth": _other_truth,
    "not dropped": _not_dropped,
    "and for or": _and_for_or,
    "part dropped": _part_dropped,
    "branch dropped": _branch_dropped,
    "exception dropped": _exception_dropped,
    "value dropped": _value_dropped,
    "other end": _other_end,
    "emptied": _emptied,
    "swapped": _swapped,
}


def changes(source: str) -> Iterator[Change]:
    """All that the operators would do to a module, in the order of its lines."""
    lines = [line.encode() for line in source.splitlines()]

    def text(node: ast.AST) -> str:
        written = _written(node, lines)
        return f"({written})" if isinstance(node, ast.NamedExpr) else written

    found: dict[tuple[int, int, int, str], Change] = {}
    for node, function in _places(ast.parse(source), ""):
        for name, operator in OPERATORS.items():
            for piece, replacement in operator(node, text):
                line, start, end_line, end = _place(piece)
                is_one = line == end_line and _ELSEWHERE not in replacement
                if is_one and lines[line - 1][start:end].decode() != replacement:
                    change = Change(name, function, line, start, end, replacement)
                    found.setdefault((line, start, end, replacement), change)
    yield from sorted(found.values(), key=lambda each: (each.line, each.start, each.end, each.operator, each.text))


# What stands in several lines is not looked at.
_ELSEWHERE = "\n"


def _written(node: ast.AST, lines: Sequence[bytes]) -> str:
    line, start, end_line, end = _place(node)
    return lines[line - 1][start:end].decode() if line == end_line else _ELSEWHERE


def _place(node: ast.AST) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def line_after(line: str, change: Change) -> str:
    written = line.encode()
    return (written[: change.start] + change.text.encode() + written[change.end :]).decode()


def changed(source: str, change: Change) -> str:
    lines = source.splitlines(keepends=True)
    lines[change.line - 1] = line_after(lines[change.line - 1], change)
    return "".join(lines)


def _places(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str]]:
    """Less what says nothing at run time, and what ast can't place: annotations, words, what stands in an f-string."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or field in ("annotation", "returns") or isinstance(child, ast.JoinedStr):
                continue
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            if _is_typing(child):
                continue
            inner = function
            if (isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and field == "body") or isinstance(
                child, ast.ClassDef
            ):
                inner = _within(function, child.name, of_a_class=isinstance(node, ast.ClassDef))
            yield child, inner
            yield from _places(child, inner)


# Calls and subscripts that say something to mypy, and how a dataclass is made.
_TYPING_CALLS = frozenset({"TypeVar", "cast", "NewType", "dataclass"})
_TYPES = frozenset({"tuple", "list", "dict", "set", "frozenset", "type"})


def _is_typing(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and (node.value.id in _TYPES or node.value.id.istitle())
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TYPING_CALLS


def _within(function: str, name: str, *, of_a_class: bool) -> str:
    if not function:
        return name
    return f"{function}.{name}" if of_a_class else f"{function}.<locals>.{name}"
