"""Reads YAML with the position of every key and value.

PyYAML takes longer to import than a short run takes for all else that it reads: it comes with the first text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nodeworthy.patterns import import_with_patterns_for_later

if TYPE_CHECKING:
    from nodeworthy.documents.tree import Tree
    from nodeworthy.verdict import Place


class NotYaml(Exception):
    """The text is no YAML: why, and where."""

    def __init__(self, why: str, place: Place) -> None:
        super().__init__(f"{place}: {why}")
        self.why = why
        self.place = place


def _trees(text: str, origin: Place, *, is_flat: bool = False) -> list[Tree]:
    """Of what PyYAML compiles at import, one names nearly all letters of Unicode, which takes as long as an interpreter
    takes to start: its own reader looks for it, and libyaml's is the one that reads here."""
    import_with_patterns_for_later("yaml")
    from nodeworthy.documents.yaml_nodes import trees

    return trees(text, origin, is_flat=is_flat)


def read_all(text: str, origin: Place) -> list[Tree]:
    """Every document of a text. `origin` is where its first character stands: the column shifts every line."""
    return _trees(text, origin)


def read(text: str, origin: Place) -> Tree | None:
    """The first document of a text, None where there is none."""
    documents = read_all(text, origin)
    return documents[0] if documents else None


def read_inside(scalar: Tree) -> Tree | None:
    """The document inside a string. A literal block keeps every position; of any other string all that
    can be said is where it begins."""
    documents = read_all_inside(scalar)
    return documents[0] if documents else None


def read_all_inside(scalar: Tree) -> list[Tree]:
    """Every document inside a string."""
    text, origin = scalar.text, scalar.inside
    return _trees(text, origin or scalar.place, is_flat=origin is None) if text is not None else []


def compose(text: str, origin: Place) -> list[Any]:
    """The nodes of every document, within what is read of one: of those that have tags which mean something there."""
    from nodeworthy.documents.yaml_nodes import nodes_of

    return nodes_of(text, origin)
