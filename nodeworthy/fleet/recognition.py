"""Whether a document declares a fleet: asked of every one that is read, and most do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nodeworthy.documents.tree import Tree

KEY = "nodeworthy:fleet"


def has_fleet(tree: Tree) -> bool:
    """Whether a document is a stack's config with a fleet in it, or a bare fleet and nothing else: other people's files
    have clusters and pools, too."""
    return KEY in tree.get("config").mapping or (is_bare(tree) and _has_no_other_keys(tree))


def is_bare(tree: Tree) -> bool:
    return tree.get("cluster").is_mapping and tree.get("pools").is_mapping


def _has_no_other_keys(tree: Tree) -> bool:
    from nodeworthy.fleet.declaration import FLEET

    return tree.mapping.keys() <= FLEET.fields.keys()
