"""A tree of values that know their place, whatever they were read from.

A values file, a planned resource and an object of a cluster all become this tree, so that the facts
made from them are made by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Unknown

Scalar = str | int | float | bool | None


class Absent(Enum):
    """Marks a value that nobody wrote."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Value: TypeAlias = "Scalar | Mapping[str, Tree] | Sequence[Tree] | Unknown | Absent"


class _Kinds(dict[type, bool]):
    """Whether values of a type are such: of the abstract types that is a question that takes long, and is asked of
    every value."""

    def __init__(self, kind: type) -> None:
        super().__init__()
        self._kind = kind

    def __missing__(self, kind: type) -> bool:
        self[kind] = found = issubclass(kind, self._kind) and not issubclass(kind, str)
        return found


_MAPPINGS, _SEQUENCES = _Kinds(Mapping), _Kinds(Sequence)


# Not frozen: nobody changes one, and every value that anybody looks at has its own.
@dataclass(slots=True, unsafe_hash=True)
class Tree:
    value: Value
    place: Place
    # The place of the key that leads here: where a reader looks first, and all there is for an empty value.
    key: Place | None = None
    secret: bool = False
    # The scalar as it was written: 1.10 and 0x1F mean 1.1 and 31, but that is not what a reader finds in the file.
    written: str | None = None
    # Of a literal block (`|`): where its first character stands, so that a document inside keeps its positions.
    inside: Place | None = None

    @property
    def is_absent(self) -> bool:
        return self.value is ABSENT

    @property
    def is_unknown(self) -> bool:
        return isinstance(self.value, Unknown)

    @property
    def is_null(self) -> bool:
        return self.value is None

    @property
    def says_nothing(self) -> bool:
        """It is not there, or it is there as null: to whoever reads it that is mostly the same."""
        return self.value is ABSENT or self.value is None

    @property
    def mapping(self) -> Mapping[str, Tree]:
        """The children by name; empty where this is no mapping."""
        return self.value if _MAPPINGS[type(self.value)] else {}  # type: ignore[return-value]

    @property
    def sequence(self) -> Sequence[Tree]:
        """The children in order; empty where this is no sequence."""
        return self.value if _SEQUENCES[type(self.value)] else ()  # type: ignore[return-value]

    @property
    def is_mapping(self) -> bool:
        return _MAPPINGS[type(self.value)]

    @property
    def is_sequence(self) -> bool:
        return _SEQUENCES[type(self.value)]

    @property
    def heading(self) -> Place:
        """Where a reader looks first: at its key, else at itself."""
        return self.key or self.place

    @property
    def text(self) -> str | None:
        """The value if it is a string, else None."""
        return self.value if isinstance(self.value, str) else None

    @property
    def string(self) -> str:
        """The value; empty where this is no string."""
        return self.value if isinstance(self.value, str) else ""

    @property
    def word(self) -> str:
        """The value as a text: Terraform makes one of a truth by itself."""
        return str(self.value).lower() if isinstance(self.value, bool) else self.string

    def get(self, *names: str) -> Tree:
        """The value under these names. What is not there is absent, with the nearest place above it;
        what lies inside an unknown is unknown."""
        tree, rest = self, iter(names)
        for name in rest:
            value = tree.value
            if _MAPPINGS[type(value)]:
                found = value.get(name)  # type: ignore[union-attr]
                if found is None:
                    return tree._absent(".".join((name, *rest)))
                tree = found
            elif not isinstance(value, Unknown):
                return tree._absent(".".join((name, *rest)))
        return tree

    def _absent(self, name: str) -> Tree:
        # Spelt out: of all that is asked of a document, most is not there.
        at, above = self.key or self.place, self.place.subject
        subject = f"{above}.{name}" if above else name
        place = Place(at.path, at.line, at.column, at.urn, at.host, at.object, subject, at.within)
        return Tree(ABSENT, place, self.key)

    def located(self) -> Located[Any]:
        """The scalar with its place. An absent scalar is known to be None, and is marked as not written."""
        if isinstance(self.value, Unknown):
            return Located(self.value, self.place, self.secret)
        if self.is_absent:
            return Located(Known(None), self.place, written=False)
        return Located(Known(self.value), self.place, self.secret)

    @property
    def texts(self) -> dict[str, str]:
        """Labels, annotations, selectors: names to strings."""
        return {name: child.value for name, child in self.mapping.items() if isinstance(child.value, str)}

    def kind(self) -> str:
        """What this is, in a reader's words."""
        if self.is_mapping:
            return "a mapping"
        if self.is_sequence:
            return "a list"
        named = {bool: "a boolean", int: "a number", float: "a number", str: "a string", type(None): "nothing"}
        return named.get(type(self.value), "unknown")

    def holding(self, value: Value) -> Tree:
        """The same with another value: a template's whole tree is made anew so."""
        return Tree(value, self.place, self.key, self.secret, self.written, self.inside)

    def about(self, subject: str) -> Tree:
        return replace(self, place=self.place.about(subject))


def absent(place: Place) -> Tree:
    return Tree(ABSENT, place)


class _PlainMapping(Mapping[str, Tree]):
    """Children of a plain dict, made when they are asked for."""

    __slots__ = ("_items", "_place")

    def __init__(self, items: Mapping[Any, Any], place: Place) -> None:
        self._items = items
        self._place = place

    def __getitem__(self, name: str) -> Tree:
        return plant(self._items[name], self._place.about(join(self._place.subject, name)))

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def join(subject: str | None, name: str) -> str:
    return f"{subject}.{name}" if subject else name


def plant(value: Any, place: Place) -> Tree:
    """A tree over plain data (JSON, say), all of it at one place; only the subject tells its parts apart."""
    if isinstance(value, Tree):
        return value
    if _MAPPINGS[type(value)]:
        return Tree(_PlainMapping(value, place), place)
    if _SEQUENCES[type(value)]:
        subject = place.subject or ""
        return Tree([plant(each, place.about(f"{subject}[{i}]")) for i, each in enumerate(value)], place)
    if isinstance(value, (str, int, float, bool, Unknown, Absent)) or value is None:
        return Tree(value, place)
    return Tree(Unknown(f"a value of type {type(value).__name__}"), place)


def merge(under: Tree, over: Tree) -> Tree:
    """`over` laid upon `under` as Helm does it: mappings merge, anything else replaces; each value keeps its place."""
    if over.is_absent:
        return under
    if over.is_mapping and under.is_mapping:
        names = [*under.mapping, *(name for name in over.mapping if name not in under.mapping)]
        merged = {name: _merged_child(under, over, name) for name in names}
        kept = {name: tree for name, tree in merged.items() if tree is not None}
        return Tree(kept, over.place, over.key, over.secret)
    return over


def _merged_child(under: Tree, over: Tree, name: str) -> Tree | None:
    ours, theirs = under.mapping.get(name), over.mapping.get(name)
    if theirs is None:
        return ours
    if theirs.is_null:
        return None  # Helm: a null deletes the key beneath it
    return merge(ours, theirs) if ours is not None else theirs


def plain(tree: Tree) -> Any:
    """The tree as plain data. Only for a tree without unknowns."""
    if tree.is_mapping:
        return {name: plain(child) for name, child in tree.mapping.items()}
    if tree.is_sequence:
        return [plain(child) for child in tree.sequence]
    if isinstance(tree.value, (Unknown, Absent)):
        raise ValueError(f"{tree.place}: not known")
    return tree.value
