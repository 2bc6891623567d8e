"""Values that Pulumi encrypted (`secure: …`): unknown and secret, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from nodeworthy.documents.tree import Tree
from nodeworthy.verdict import Unknown

ENCRYPTED = "it is encrypted (secure:), and no passphrase was asked for"


def is_secure(tree: Tree) -> bool:
    """A value that Pulumi encrypted: a mapping with nothing but `secure`."""
    children = tree.mapping
    return len(children) == 1 and "secure" in children and children["secure"].text is not None


def decrypted(tree: Tree) -> Tree:
    """The tree with everything encrypted in it unknown and secret. Lazy: a tree of aliases may be endless."""
    if is_secure(tree):
        return Tree(Unknown(ENCRYPTED), tree.place, tree.key, secret=True)
    if tree.is_mapping:
        return replace(tree, value=_Mapping(tree.mapping))
    if tree.is_sequence:
        return replace(tree, value=_Sequence(tree.sequence))
    return tree


class _Mapping(Mapping[str, Tree]):
    def __init__(self, children: Mapping[str, Tree]) -> None:
        self._children = children

    def __getitem__(self, name: str) -> Tree:
        return decrypted(self._children[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._children)

    def __len__(self) -> int:
        return len(self._children)


class _Sequence(Sequence[Tree]):
    def __init__(self, children: Sequence[Tree]) -> None:
        self._children = children

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | Sequence[Tree]:
        if isinstance(index, slice):
            return [decrypted(each) for each in self._children[index]]
        return decrypted(self._children[index])

    def __len__(self) -> int:
        return len(self._children)
