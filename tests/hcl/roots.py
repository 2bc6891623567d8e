"""Roots for tests: files in a folder, opened."""

from __future__ import annotations

import os
from pathlib import Path

from nodeworthy.hcl.disk import Disk
from nodeworthy.hcl.evaluate import evaluate
from nodeworthy.hcl.parse import parse_expression
from nodeworthy.hcl.root import Module, open_root
from nodeworthy.hcl.scope import Scope
from nodeworthy.hcl.source import File, Malformed
from nodeworthy.hcl.values import Hole, Refusal, Str, Value, Waits, string, text


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def root(folder: Path, files: dict[str, str]) -> Module:
    write(folder, files)
    return open_root(str(folder), Disk(str(folder), lambda path: os.path.relpath(path, folder)))


def value(module: Module, expression: str) -> Value:
    file = File("expression", expression)
    return evaluate(parse_expression(file), Scope(file, module))


def told(module: Module, expression: str) -> str:
    """As JSON; `REFUSED`, or `HOLE` with why."""
    try:
        made = value(module, f"jsonencode({expression})")
    except (Malformed, Refusal):
        return "REFUSED"
    if isinstance(made, Hole):
        return f"HOLE {made.why}"
    try:
        return text(made)
    except Waits as waits:
        return f"HOLE {waits.hole.why}"


def as_string(made: Value) -> Str:
    return string(made)
