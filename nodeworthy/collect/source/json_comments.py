"""Suppressions in Terraform's JSON, which has `"//"` for comments: each speaks of the object that it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.comments import MARK, suppression
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.patterns import pattern
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

_SAID = pattern(r"\s*nodeworthy:[ \t]*ignore(?:[ \t]+(?P<rule>\S+))?(?:[ \t]+(?P<reason>.*\S))?\s*")
_TOKEN = pattern(r'"(?:[^"\\]|\\.)*+"|[{}]')


def json_comments(text: str, origin: Place, known: frozenset[str]) -> Iterator[Suppression]:
    if MARK not in text:
        return
    try:
        tree = read(text, origin)
    except NotYaml:
        return  # that is told where it is judged
    if tree is not None:
        yield from _within(tree, _ends(text), known)


def _within(tree: Tree, ends: dict[tuple[int, int], int], known: frozenset[str]) -> Iterator[Suppression]:
    for name, each in tree.mapping.items():
        if name != "//":
            yield from _within(each, ends, known)
            continue
        begin = (tree.place.line or 1, tree.place.column or 1)
        first = tree.key.line if tree.key is not None and tree.key.line else begin[0]
        lines = range(first, ends.get(begin, begin[0]) + 1)
        for said in each.sequence or [each]:
            found = _SAID.fullmatch(said.string)
            if found is not None:
                yield suppression(found["rule"] or "", found["reason"] or "", said.place, lines, known)
    for each in tree.sequence:
        yield from _within(each, ends, known)


def _ends(text: str) -> dict[tuple[int, int], int]:
    """The line where each object ends, by the line and column where it begins."""
    ends: dict[tuple[int, int], int] = {}
    opened: list[tuple[int, int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        for token in _TOKEN.finditer(line):
            if token[0] == "{":
                opened.append((number, token.start() + 1))
            elif token[0] == "}" and opened:
                ends[opened.pop()] = number
    return ends
