"""Whatever a rule can tell is told in some test. A sentence that stands in none was never seen: its words may name the
wrong thing, and its place may be none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

from tests.architecture.tree import ROOT, code

# How many are told in no test. It goes down alone: who shows some writes the number that is left.
MOST_UNTOLD = 30
TELLING = ("fail", "unknown")
# Less than this says too little to be looked for.
LEAST = 12
# In front of it a finding says on which pool it is (`Draft.with_more`).
_UNKNOWN = " is not known"


def test_every_sentence_is_told() -> None:
    told = _told_in_tests()
    untold = [f"{place}: {sentence}" for place, sentence in _sentences() if sentence not in told]
    assert len(untold) <= MOST_UNTOLD, "\n".join(untold)


def _sentences() -> Iterator[tuple[str, str]]:
    """Of each message the longest piece that is the same whatever it is about."""
    for file in code(rooms=("nodeworthy/rules", "nodeworthy/facts")):
        if file.suffix == ".py":
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if _tells(node):
                    longest = max(_pieces(node.args[1]), key=len, default="").partition(_UNKNOWN)[0]
                    if len(longest) >= LEAST:
                        yield f"{file.relative_to(ROOT)}:{node.lineno}", longest


def _tells(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in TELLING
        and len(node.args) > 1
    )


def _pieces(message: ast.expr) -> Iterator[str]:
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        yield message.value
    elif isinstance(message, ast.JoinedStr):
        yield from (each for value in message.values for each in _pieces(value))
    elif isinstance(message, ast.BinOp):
        yield from (*_pieces(message.left), *_pieces(message.right))
    elif isinstance(message, ast.IfExp):
        yield from _pieces(message.body)


def _told_in_tests() -> str:
    return "\n".join(_words(path) for path in sorted((ROOT / "tests").rglob("*")) if _is_read(path))


def _is_read(path: Path) -> bool:
    """Goldens of cases and of readers, what turned cases tell, and what tests look for themselves."""
    tells = path.name in ("expected.json", "quiet.json") or path.parent.name in ("turned", "as_read", "goldens")
    return tells if path.suffix == ".json" else path.suffix == ".py"


def _words(path: Path) -> str:
    text = path.read_text(encoding="utf-8", errors="replace")
    return text.replace('\\"', '"') if path.suffix == ".json" else text
