"""What a scene is made by, and what no collector and no fact may know: which rules there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.rules import ids
from tests.architecture.tree import ROOT

OURS = ROOT / "nodeworthy"


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            yield node.func.id if isinstance(node.func, ast.Name) else node.func.attr


def test_a_scene_is_made_in_one_place() -> None:
    assert [path for path in sorted(OURS.rglob("*.py")) if "Scene" in calls(path)] == [OURS / "scene.py"]


@pytest.mark.parametrize("room", ["collect", "facts"])
def test_no_moment_and_no_fact_names_a_rule(room: str) -> None:
    """Whoever writes a rule, ours or one's own, need not be known to any collector."""
    every = set(ids())
    named = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in sorted((OURS / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in every
    ]
    assert named == []
