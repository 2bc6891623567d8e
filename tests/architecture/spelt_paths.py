"""Finds where our code spells one of containerd's paths, in one piece or put together from constants."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TABLE = Path("nodeworthy/known/containerd.toml")
# A note or a source may name a path in prose, and a kubeconfig is none of containerd's.
OTHERS = {"note", "source", "kubeconfig"}


def known_paths(table: Path) -> frozenset[str]:
    """Every path of the table, the computed ones without what stands before them. A folder in which others of them lie
    is everybody's, as /etc is: packages put theirs there, too."""
    every = frozenset(_paths(tomllib.loads(table.read_text(encoding="utf-8"))))
    return frozenset(each for each in every if not any(other.startswith(f"{each}/") for other in every))


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, child in value.items():
            if name not in OTHERS:
                yield from _paths(child)
    elif isinstance(value, list):
        for child in value:
            yield from _paths(child)
    elif isinstance(value, str) and value.count("/") > 1:
        yield value.partition("=")[2] or value


def spelt_in(file: Path, paths: Iterable[str]) -> set[str]:
    text = file.read_text(encoding="utf-8", errors="replace")
    texts = [text, *(_constants(text) if file.suffix == ".py" else ())]
    return {path for path in paths if any(path in each for each in texts)}


def _constants(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        folded = _folded(node)
        if folded is not None:
            yield folded


def _folded(node: ast.AST) -> str | None:
    """The string that an expression of constants makes: "a" + "b", Path("a") / "b", join("a", "b")."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        parts = [_folded(node.left), _folded(node.right)]
        return _joined("/" if isinstance(node.op, ast.Div) else "", parts)
    if isinstance(node, ast.Call):
        return _joined("/", [_folded(argument) for argument in node.args])
    return None


def _joined(between: str, parts: list[str | None]) -> str | None:
    known = [part for part in parts if part is not None]
    return between.join(known) if known and len(known) == len(parts) else None
