"""The variables of a playbook, as far as it is known what they are: `vars` of a play, of a block and of a task, and
what a role or an inventory around it says.

What stands nearest holds, as for Ansible, and outranks what an inventory says. Nothing is said of what a filter makes
of a value, of a value on several lines or one that a directive makes: its braces stay, and it remains what a template
fills in. So does a number that is written otherwise than Ansible would print it: 1.30 is 1.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

# A name, and the keys within what is called so: `gpu.driver`, `gpu['driver']`.
_NAMED = pattern(
    r"\{\{-?\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:'\w+'|\"\w+\")\]){0,4})\s*(?:\|\s*default\([^()]*\)\s*)?-?\}\}"
)
_KEYS = pattern(r"\w+")
# Variables that are made of others; one of itself would have no end.
_DEEPEST = 4
_LONGEST = 20_000


def names_in(text: str) -> Sequence[str]:
    """The variables that stand in braces, or something within them, alone or with a default."""
    return [_KEYS.findall(each)[0] for each in _NAMED.findall(text)] if "{{" in text else ()


def scope_within(entry: Tree, outer: Mapping[str, Tree]) -> Mapping[str, Tree]:
    """The variables of a play, a block or a task, with those that hold around it."""
    own = entry.get("vars").mapping
    return {**outer, **own} if own else outer


def fill_in(text: str, scope: Mapping[str, Tree]) -> str:
    for _ in range(_DEEPEST if scope and "{{" in text else 0):
        made = _NAMED.sub(lambda found: _value(_within(found[1], scope)) or found[0], text)
        if made == text or len(made) > _LONGEST:
            return text
        text = made
    return text


def fill_tree(tree: Tree, scope: Mapping[str, Tree]) -> Tree:
    """The tree with its variables filled in, each value at its own place; a variable that stands alone may be a whole
    tree."""
    if not scope:
        return tree
    if tree.is_mapping:
        return replace(tree, value={name: fill_tree(child, scope) for name, child in tree.mapping.items()})
    if tree.is_sequence:
        return replace(tree, value=[fill_tree(child, scope) for child in tree.sequence])
    if tree.text is None or "{{" not in tree.text:
        return tree
    alone = _NAMED.fullmatch(tree.text.strip())
    whole = _within(alone[1], scope) if alone is not None else None
    if whole is not None and whole.text is None:
        return replace(tree, value=whole.value)
    return replace(tree, value=fill_in(tree.text, scope))


def items_of(text: str, scope: Mapping[str, Tree]) -> Sequence[Tree]:
    """What a variable lists that stands alone, as in `"{{ packages }}"`."""
    found = _NAMED.fullmatch(text.strip())
    named = _within(found[1], scope) if found is not None else None
    return named.sequence if named is not None else ()


def _within(words: str, scope: Mapping[str, Tree]) -> Tree | None:
    name, *keys = _KEYS.findall(words)
    tree = scope.get(name)
    found = tree.get(*keys) if tree is not None and keys else tree
    return None if found is None or (keys and found.is_absent) else found


def text_of(tree: Tree | None) -> str:
    """A scalar as it was written; nothing for whatever is none."""
    if tree is None or tree.says_nothing or tree.is_mapping or tree.is_sequence or tree.is_unknown:
        return ""
    return tree.text if tree.text is not None else tree.written or ""


def _value(tree: Tree | None) -> str:
    value = text_of(tree).strip()
    if tree is not None and isinstance(tree.value, int | float) and not isinstance(tree.value, bool):
        return value if value == str(tree.value) else ""
    return "" if "\n" in value or "{%" in value else value
