"""A file as it stands there, whatever it is: what anybody may read who may read the repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# What mends a secret in a manifest that is a Secret itself, and in a job that is handed to a cluster.
ENCRYPTED = (
    "keep it encrypted (a SealedSecret, SOPS), or let an ExternalSecret fetch it from a store; "
    "then change it, for it has been seen"
)
IN_A_STACK = (
    "keep it encrypted in this file: pulumi config set --secret KEY, with this key; "
    "then change it, for it has been seen"
)
IN_A_JOB = (
    "keep it in a file that only its owner may read (chmod 600) and read it there: NAME=$(< ~/.config/…); "
    "then change it, for it has been seen"
)


@dataclass(frozen=True, eq=False)
class PlainText:
    called: ClassVar[str] = "a file"

    place: Place
    text: str
    # What it is, in a reader's words: "Helm values", "stack config".
    what: str
    # What to do about a secret in it, where that is not what mends a manifest.
    remedy: str = ""
    # Whether it holds what a chart gives where its user gives nothing.
    is_of_a_chart: bool = False

    def at(self, line: int, column: int) -> Place:
        return Place(self.place.path, line, column)


def without_encrypted(text: str, documents: Sequence[Tree]) -> str:
    """The text with blank lines for the documents that are encrypted (a SealedSecret, SOPS): what is called a password
    there is none that anybody could read."""
    if "SealedSecret" not in text and "sops:" not in text:
        return text
    lines = text.split("\n")
    begins = [each.place.line or 1 for each in documents]
    for each, begin, end in zip(documents, begins, [*begins[1:], len(lines) + 1], strict=True):
        if each.get("kind").text == "SealedSecret" or each.get("sops").is_mapping:
            lines[begin - 1 : end - 1] = [""] * (end - begin)
    return "\n".join(lines)


def scalars(tree: Tree, name: str = "") -> Iterator[tuple[str, Tree]]:
    """Every text in a tree, with the name of what holds it: its key, or the `name` that stands beside its `value`."""
    if tree.text is not None:
        yield name, tree
    for index, child in enumerate(tree.sequence):
        yield from scalars(child, name if child.text is not None else str(index))
    beside = tree.get("name").text if tree.is_mapping else None
    for key, child in tree.mapping.items():
        yield from scalars(child, beside if key == "value" and beside else key)
