"""Where a chart's values stand in a tree: known by what is in them, or by a parent chart's key."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nodeworthy.documents.tree import Tree

# How deep under parent charts' keys they are looked for.
_DEPTH = 4


def chart_values(
    tree: Tree, looks_like: Callable[[Tree], bool], is_part: Callable[[str, Tree], bool], depth: int = _DEPTH
) -> Iterator[Tree]:
    """The tree itself, or what stands in it under a parent chart's key."""
    if not tree.is_mapping:
        return
    if looks_like(tree):
        yield tree
        return
    for name, child in tree.mapping.items() if depth else ():
        if child.is_mapping and is_part(name, child):
            # The usual condition of a parent chart: a subchart that is off has no values to judge.
            if child.get("enabled").value is not False:
                yield child
        else:
            yield from chart_values(child, looks_like, is_part, depth - 1)
