"""The text of nftables: its tokens, and the statements that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.patterns import pattern

_TOKEN = pattern(r'"[^"\n]*"|[{};\n]|#[^\n]*|[^\s{};"]+')
_ENDS = frozenset({";", "\n"})


def tokens(text: str) -> list[str]:
    """Without comments; a backslash at a line's end joins lines."""
    found = (each[0] for each in _TOKEN.finditer(text.replace("\\\n", " ")))
    return [each.strip('"') for each in found if not each.startswith("#")]


def statements(script: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Each statement, and the block behind it. Braces inside of a rule are a set, and belong to its words."""
    words: list[str] = []
    at = 0
    while at < len(script):
        token = script[at]
        if token in _ENDS:
            if words:
                yield words, []
            words = []
        elif token == "{" and _opens_a_block(words):
            end = _closing(script, at)
            yield words, list(script[at + 1 : end])
            words, at = [], end
        elif token == "}" and "{" not in words:
            pass
        else:
            words.append(token)
        at += 1
    if words:
        yield words, []


def _opens_a_block(words: Sequence[str]) -> bool:
    kinds = ("table", "chain", "set", "map", "flowtable", "counter", "quota")
    made = words[1:] if words[:1] in (["add"], ["create"]) else words
    return bool(made) and made[0] in kinds


def _closing(script: Sequence[str], at: int) -> int:
    depth = 0
    for index in range(at, len(script)):
        depth += {"{": 1, "}": -1}.get(script[index], 0)
        if depth == 0:
            return index
    return len(script)
