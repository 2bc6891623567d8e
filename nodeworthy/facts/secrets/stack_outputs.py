"""What a stack tells whoever may read it: the outputs that its program exports."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.secrets.plain_text import scalars
from nodeworthy.known.secret_names import holds, is_default
from nodeworthy.known.secrets import what_is
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True, eq=False)
class StackOutput:
    """An output that holds a secret in plain sight, or may when it is known."""

    called: ClassVar[str] = "an output of a stack"

    name: str
    tree: Tree
    # "a password"; None where its name says that it is a secret, and its value is not known yet.
    what: str | None

    @property
    def place(self) -> Place:
        return self.tree.place


def outputs_in_plain_sight(outputs: Tree) -> list[StackOutput]:
    """Only those: that no output holds a secret says nothing about what the program makes."""
    return [found for top, tree in outputs.mapping.items() for found in _within(top, tree)]


def _within(top: str, tree: Tree) -> list[StackOutput]:
    if tree.secret:
        return []
    if tree.is_unknown:
        return [StackOutput(top, tree, None)] if holds(top) is not None else []
    told = [(each, what_is(name, each.text or "")) for name, each in scalars(tree, top) if _is_said(each)]
    return [StackOutput(each.place.subject or top, each, what) for each, what in told if what is not None]


def _is_said(tree: Tree) -> bool:
    return not tree.secret and not is_default(tree.text or "")
