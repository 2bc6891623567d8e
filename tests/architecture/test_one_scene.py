"""What a scene is made by, and what no collector and no fact may know: which rules there are."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from nodeworthy.rules import ids
from tests.architecture.tree import ROOT

OURS = ROOT / "nodeworthy"


def nodes_where(room: Path, words: Collection[str]) -> Iterator[tuple[Path, ast.AST]]:
    """All that the files consist of which hold one of these words: to parse the others as well takes seconds."""
    for path in sorted(room.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and name in (getattr(node.func, "id", None), getattr(node.func, "attr", None))


def test_a_scene_is_made_in_one_place() -> None:
    made = {path for path, node in nodes_where(OURS, ["Scene"]) if is_call(node, "Scene")}
    assert made == {OURS / "scene.py"}


@pytest.mark.parametrize("room", ["collect", "facts"])
def test_no_moment_and_no_fact_names_a_rule(room: str) -> None:
    """Whoever writes a rule, ours or one's own, need not be known to any collector."""
    every = set(ids())
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path, node in nodes_where(OURS / room, every)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in every
    ]
    assert named == []
