"""Values that something else fills in later: templates, substitutions, references to other variables."""

from __future__ import annotations

from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Located, Unknown

# Of a chart's template: its values say it, and each who installs the chart has others. That is how charts are.
FILLED_IN = "a template fills it in"
CHOSEN = "a template chooses it"
# Of an example that somebody copies, or of a file that a script edits: `<GPUS>`, `PLACEHOLDER_GPUS`, `__GPUS__`.
PLACEHOLDER = "it is a placeholder for somebody to fill in"
_FILLED_IN_LATER = ("{{", "${", "$(")
# The whole of a value: what Kubernetes would take as it stands, and `envsubst` fills in.
_NAMED = pattern(r"\$[A-Za-z_]\w*")
_IS_PLACEHOLDER = pattern(r"<[^<>\n]+>|\S*PLACEHOLDER\S*|__\w+__|@\w+@|%[sdv]|(?:CHANGE|REPLACE)[-_]?ME|YOUR[-_]\w+")


def settle(tree: Tree) -> Located[Any]:
    """The scalar with its place. It is unknown where its text is a template that something fills in later."""
    located = tree.located()
    if tree.text is None:
        return located
    if is_placeholder(tree.text):
        return replace(located, state=Unknown(PLACEHOLDER))
    if not _is_filled_in(tree.text):
        return located
    return replace(located, state=Unknown(f"{tree.text} is filled in by something that was not read"))


def settle_all(tree: Tree) -> Tree:
    """All of it with what is filled in later as unknown. Where a name is, it may be any other, or several."""
    if tree.is_mapping:
        inside = {name: settle_all(each) for name, each in tree.mapping.items()}
        named = {name: each for name, each in inside.items() if not _is_filled_in(name)}
        why = f"{tree.place.subject or 'a name in it'} is filled in by something that was not read"
        return tree.holding(inside if len(named) == len(inside) else Incomplete(named, why, tree))
    if tree.is_sequence:
        return tree.holding([settle_all(each) for each in tree.sequence])
    state = settle(tree).state
    return tree.holding(state) if isinstance(state, Unknown) else tree


def is_placeholder(text: str) -> bool:
    return _IS_PLACEHOLDER.fullmatch(text.strip()) is not None


def is_charts(why: str | None) -> bool:
    """Whether the value is unknown because somebody else decides it, by a chart's values or in a placeholder."""
    return why in (FILLED_IN, CHOSEN, PLACEHOLDER)


def _is_filled_in(text: str) -> bool:
    return any(mark in text for mark in _FILLED_IN_LATER) or _NAMED.fullmatch(text.strip()) is not None


class Incomplete(dict[str, Tree]):
    """A mapping to which something that was not read adds: what is not in it is unknown, not absent."""

    def __init__(self, children: dict[str, Tree], why: str, tree: Tree) -> None:
        super().__init__(children)
        self.why = why
        self._tree = tree

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ARG002
        found = super().get(name)
        if found is not None:
            return found
        near = self._tree.heading
        subject = self._tree.place.subject
        return Tree(Unknown(self.why), near.about(f"{subject}.{name}" if subject else name), self._tree.key)


def why_incomplete(tree: Tree) -> str | None:
    """Why there may be more in it than was read; None where what stands there is all."""
    state = settle(tree).state
    if isinstance(state, Unknown):
        return state.why
    if isinstance(tree.value, Incomplete):
        return tree.value.why
    hidden = (each.value.why for each in tree.sequence if isinstance(each.value, Unknown))
    return next(hidden, None)


def has_holes(tree: Tree) -> bool:
    """Whether anything in it, however deep, is not known."""
    inside = (*tree.mapping.values(), *tree.sequence)
    return why_incomplete(tree) is not None or any(map(has_holes, inside))
