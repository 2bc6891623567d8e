"""Trees that may hold a chart's values, and belong to no release."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.fleet.declaration import KEY


def loose_values(document: Tree) -> Iterator[Tree]:
    """A values file, or what stands in the stack config of somebody's own program."""
    if not document.get("apiVersion").is_absent:
        return
    config = document.get("config")
    if config.is_mapping and ":" in next(iter(config.mapping), ""):
        yield from (child for name, child in config.mapping.items() if name != KEY)
    else:
        yield document
