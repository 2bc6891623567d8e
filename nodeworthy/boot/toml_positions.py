"""Where the keys of a TOML text stand. `tomllib` reads the values and keeps no positions."""

from __future__ import annotations

import re

from nodeworthy.patterns import pattern

Path = tuple[str, ...]

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_LINE = pattern(rf"[ \t]*(?:\[(?P<array>\[)?[ \t]*(?P<table>{_DOTTED})[ \t]*\]|(?P<key>{_DOTTED})[ \t]*=)")
_NAMES = pattern(_KEY)
# What decides where a value ends: a string of any kind, a comment, a bracket, a line's end.
_TOKEN = pattern(
    r'"""(?:[^\\]|\\.)*?"""|'
    r"'''.*?'''|"
    r'"(?:[^"\\\n]|\\.)*"|'
    r"'[^'\n]*'|#[^\n]*|[\[{]|[\]}]|\n",
    re.DOTALL,
)


def key_positions(text: str) -> dict[Path, tuple[int, int]]:
    """The line and column of each key and each table. Where one stands twice, the last counts."""
    positions: dict[Path, tuple[int, int]] = {}
    table: Path = ()
    at, line = 0, 1
    while at < len(text):
        found = _LINE.match(text, at)
        end = at
        if found is not None:
            name = "table" if found["table"] else "key"
            path = _path(found[name])
            table, path = (path, path) if name == "table" else (table, table + path)
            positions[path] = line, found.start(name) - at + 1
            end = found.end()
        after = _after(text, end)
        line += text.count("\n", at, after)
        at = after
    return positions


def _path(dotted: str) -> Path:
    return tuple(name.strip("\"'") for name in _NAMES.findall(dotted))


def _after(text: str, at: int) -> int:
    """The position after the end of the line, and after everything that continues beyond it."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth = max(0, depth - 1)
        elif token[0] == "\n" and not depth:
            return token.end()
    return len(text)
