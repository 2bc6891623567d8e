"""Keys that a cloud-config writes once in each branch of a template: YAML keeps the last, the node gets one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.boot.cloud_merge import Piece
from nodeworthy.boot.scalars import Document
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Place

_KEY = pattern(r"(?m)^([A-Za-z_][\w-]*):")
# Nobody writes more branches.
_MOST = 20


def twins(document: Document) -> Iterator[tuple[str, Piece]]:
    """The values of keys that stand there again further down, in another branch."""
    if not document.perhaps.lines:
        return
    blocks = _blocks(document.text)
    last = {key: start for key, start, _ in blocks}
    earlier = [each for each in blocks if last[each[0]] != each[1] and document.perhaps.at(each[1] + 1)]
    for key, start, end in earlier[:_MOST]:
        tree = _alone(document, start, end, key)
        if tree is not None:
            yield key, tree


def _blocks(text: str) -> list[tuple[str, int, int]]:
    """The outermost keys, each with its first line and the one behind its last, from zero."""
    line = at = 0
    keys: list[tuple[str, int]] = []
    for found in _KEY.finditer(text):
        line, at = line + text.count("\n", at, found.start()), found.start()
        keys.append((found[1], line))
    ends = [start for _, start in keys[1:]] + [text.count("\n") + 1]
    return [(key, start, end) for (key, start), end in zip(keys, ends, strict=True)]


def _alone(document: Document, start: int, end: int, key: str) -> Piece | None:
    rows = document.text.split("\n")
    text = "\n" * start + "\n".join(rows[start:end]) + "\n"
    try:
        trees = [each for each in read_all(text, Place()) if not each.is_null]
    except NotYaml:
        return None
    return Piece(trees[0].get(key), replace(document, text=text)) if len(trees) == 1 else None
