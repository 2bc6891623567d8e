"""A file as it stands there, whatever it is: what anybody may read who may read the repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.verdict import Place


@dataclass(frozen=True, eq=False)
class PlainText:
    called: ClassVar[str] = "a file"

    place: Place
    text: str
    # What it is, in a reader's words: "Helm values", "stack config".
    what: str

    def at(self, line: int, column: int) -> Place:
        return Place(self.place.path, line, column)


def scalars(tree: Tree, name: str = "") -> Iterator[tuple[str, Tree]]:
    """Every text in a tree, with the name of what holds it: its key, or the `name` that stands beside its `value`."""
    if tree.text is not None:
        yield name, tree
    for index, child in enumerate(tree.sequence):
        yield from scalars(child, name if child.text is not None else str(index))
    beside = tree.get("name").text if tree.is_mapping else None
    for key, child in tree.mapping.items():
        yield from scalars(child, beside if key == "value" and beside else key)
