"""Small functions, in files named for the thing. How long a file may be is for its reader to judge, not for a test."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.tree import ROOT, code

# What the longest function takes today: the aim is 25, and no later function may be the longest.
FUNCTION = 39
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
NAMED_FOR_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc"}


def test_functions_are_small() -> None:
    counted = {
        f"{file.relative_to(ROOT)}:{function.lineno} {function.name}": lines(function)
        for file in code()
        if file.suffix == ".py" and "tests" not in file.relative_to(ROOT).parts
        for function in functions(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert counted
    assert {function: count for function, count in counted.items() if count > FUNCTION} == {}


def test_files_are_named_for_the_thing() -> None:
    assert [file for file in code() if file.stem in NAMED_FOR_NOTHING] == []


def functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """All that stand in it. No expression holds one: most of a module need not be walked through."""
    for each in (inner for block in BLOCKS for inner in getattr(node, block, ())):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each
        yield from functions(each)


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From the first statement behind the documentation to the last."""
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or 0) - first.lineno + 1
