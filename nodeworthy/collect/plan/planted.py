"""Planned inputs as trees: what is unknown, secret or made up is marked, and each value has the best place there is.

A value that follows from the fleet carries the line of the stack file that it follows from, beside the URN: that
is the line to edit. Any other carries the line of the program that registers its resource.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from nodeworthy.collect.plan.protocol import ARCHIVE, ASSET, REFERENCE, SECRET, SIGNATURE, UNKNOWN, Wire
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.documents.tree import Tree, join
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

LATER = "it is known only after deployment"
# Texts that are read whole, made-up values and all: a boot script with a made-up endpoint is still that script.
READ_WHOLE = frozenset({"userData", "userDataBase64"})
_TOP = pattern(r"[.\[]")


@dataclass(frozen=True)
class Planter:
    """Makes trees of one resource's inputs."""

    place: Place
    made: StandIns | None = None
    # What an unknown is where nothing was made up: an output, or an encrypted value of the stack's config.
    unknown: str = LATER
    # By top-level property, the resources of whose outputs it was made.
    made_of: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def tree(self, data: Wire, subject: str = "", near: Tree | None = None, *, secret: bool = False) -> Tree:
        """`near` is the tree of the fleet that these values may follow from."""
        tree, _ = self._tree(data, subject, near if near is not None and not near.is_absent else None, secret)
        return tree

    def _tree(self, data: Wire, subject: str, near: Tree | None, secret: bool) -> tuple[Tree, bool]:
        """The tree, and whether all of it is what the fleet says."""
        if isinstance(data, dict):
            if SIGNATURE in data:
                return self._special(data, subject, near, secret)
            return self._mapping(data, subject, near, secret)
        if isinstance(data, list):
            return self._list(data, subject, near, secret)
        value = self._leaf(data, subject, secret) if isinstance(data, str) else data
        same = near is not None and not isinstance(value, Unknown) and _equal(near.value, value)
        return self._placed(value, subject, near if same else None, secret), same

    def _mapping(self, data: Mapping[str, Wire], subject: str, near: Tree | None, secret: bool) -> tuple[Tree, bool]:
        beside = near.mapping if near is not None else {}
        made = {name: self._tree(child, join(subject, name), beside.get(name), secret) for name, child in data.items()}
        same = (
            near is not None and near.is_mapping and set(beside) == set(data) and all(each for _, each in made.values())
        )
        children = {name: tree for name, (tree, _) in made.items()}
        return self._placed(children, subject, near if same else None, secret), same

    def _list(self, data: list[Wire], subject: str, near: Tree | None, secret: bool) -> tuple[Tree, bool]:
        beside = list(near.sequence) if near is not None else []
        made = [
            self._tree(child, f"{subject}[{index}]", beside[index] if index < len(beside) else None, secret)
            for index, child in enumerate(data)
        ]
        same = near is not None and near.is_sequence and len(beside) == len(data) and all(each for _, each in made)
        return self._placed([tree for tree, _ in made], subject, near if same else None, secret), same

    def _special(self, data: Mapping[str, Wire], subject: str, near: Tree | None, secret: bool) -> tuple[Tree, bool]:
        kind = data[SIGNATURE]
        if kind == SECRET:
            return self._tree(data.get("value"), subject, near, True)
        if kind == REFERENCE:
            return self._tree(data.get("id") or UNKNOWN, subject, near, secret)
        if kind in (ASSET, ARCHIVE):
            told = {name: each for name, each in data.items() if name in ("path", "text", "uri")}
            return self._mapping(told, subject, None, secret)
        return self._placed(Unknown("a kind of value that this preview does not know"), subject, None, secret), False

    def _leaf(self, text: str, subject: str, secret: bool) -> str | Unknown:
        if UNKNOWN in text:
            # What is encrypted stays a secret, whatever is made of it.
            of_resources = not secret and self.made_of.get(_TOP.split(subject, maxsplit=1)[0])
            return Unknown(LATER if of_resources else self.unknown)
        if self.made is None or subject.rsplit(".", 1)[-1] in READ_WHOLE:
            return text
        origin = self.made.origin(text)
        return Unknown(f"{LATER}: {origin}", self.made.holder(text)) if origin else text

    def _placed(self, value: object, subject: str, near: Tree | None, secret: bool) -> Tree:
        if near is None:
            return Tree(value, self.place.about(subject), None, secret)  # type: ignore[arg-type]
        key = replace(near.key, urn=self.place.urn) if near.key is not None else None
        # What stands in the stack file in plain words is no secret, though a program that reads a fleet with one
        # encrypted value in it must take all of it for one.
        return Tree(value, replace(near.place, urn=self.place.urn), key, near.secret)  # type: ignore[arg-type]


def _equal(one: object, other: object) -> bool:
    """Equal and of one kind: 1 is not true, and "1" is not 1. Whole floats come back as ints."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other
