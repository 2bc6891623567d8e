"""Walks a tree along the shape of a fleet: every value with its place, and every fault, not only the first."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from nodeworthy.documents.tree import ABSENT, Tree, join
from nodeworthy.fleet.shape import Anything, Field, Items, Kind, Named, Record, Text, Truth, Whole
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Known, Located, Place, Unknown

ENCRYPTED = "it is encrypted (secure:), and no passphrase was asked for"


def _is_secure(tree: Tree) -> bool:
    """A value that Pulumi encrypted: a mapping with nothing but `secure`."""
    children = tree.mapping
    return len(children) == 1 and "secure" in children and children["secure"].text is not None


def without_encrypted(tree: Tree) -> Tree:
    """The tree with everything encrypted in it unknown and secret. Lazy: a tree of aliases may be endless."""
    if _is_secure(tree):
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
        return without_encrypted(self._children[name])

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
            return [without_encrypted(each) for each in self._children[index]]
        return without_encrypted(self._children[index])

    def __len__(self) -> int:
        return len(self._children)


@dataclass(frozen=True)
class FleetFault:
    place: Place
    message: str


@dataclass
class FleetFaults:
    found: list[FleetFault] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        self.found.append(FleetFault(place, message))

    def in_order(self) -> list[FleetFault]:
        return sorted(self.found, key=lambda each: (each.place.line or 0, each.place.column or 0))


@dataclass(frozen=True)
class Section:
    """A record as it was read: its scalars located, its defaults filled in."""

    tree: Tree
    path: str
    record: Record
    read: Mapping[str, Any]

    @property
    def place(self) -> Place:
        return self.tree.heading.about(self.path)

    def wrote(self, name: str) -> bool:
        return name in self.tree.mapping

    def located(self, name: str) -> Located[Any]:
        found: Located[Any] = self.read[name]
        return found

    def plain(self, name: str) -> Any:
        """The value of a field that can't be unknown; None where it was faulty."""
        state = self.located(name).state
        return state.value if isinstance(state, Known) else self.record.fields[name].default

    def section(self, name: str) -> Section:
        found: Section = self.read[name]
        return found

    def items(self, name: str) -> list[Any]:
        found: list[Any] = self.read[name]
        return found

    def sections(self, name: str) -> dict[str, Section]:
        found: dict[str, Section] = self.read[name]
        return found


# Stands for a part that was refused already, so that nothing is said of what it lacks.
REFUSED = Unknown("it is malformed")


def _value_in_words(tree: Tree) -> str:
    """What is there, in a reader's words; never a secret."""
    if tree.secret or tree.is_unknown:
        return "encrypted"
    if tree.is_mapping or tree.is_sequence:
        return tree.kind()
    if tree.says_nothing:
        return "empty"
    text = json.dumps(tree.value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:56]}…{text[-1]}"


class Walker:
    def __init__(self, faults: FleetFaults) -> None:
        self.faults = faults

    def section(self, record: Record, tree: Tree, path: str) -> Section:
        if not (tree.is_mapping or tree.says_nothing or tree.value is REFUSED):
            self.fault(tree, path, f"must be a mapping{_as_mapping(record, tree, path)}")
            tree = Tree(REFUSED, tree.place, tree.key)
        self._unknown_keys(record, tree, path)
        self._repeated(tree, path)
        return Section(
            tree, path, record, {name: self._field(each, tree, path, name) for name, each in record.fields.items()}
        )

    def fault(self, tree: Tree, path: str, message: str) -> None:
        self.faults.add(
            tree.place,
            f"{path} is {_value_in_words(tree)}, and {message}"
            if path
            else f"this is {_value_in_words(tree)}, and {message}",
        )

    def _unknown_keys(self, record: Record, tree: Tree, path: str) -> None:
        for name in tree.mapping:
            if name not in record.fields:
                child = tree.get(name)
                self.faults.add(child.heading, f"{join(path, name)}: there is no such key; {_nearest(name, record)}")

    def _repeated(self, tree: Tree, path: str) -> None:
        for name, first, again in getattr(tree.value, "repeated", ()):
            self.faults.add(again, f"{join(path, name)} stands twice: it is already in line {first.line}")

    def _field(self, field: Field, tree: Tree, path: str, name: str) -> Any:
        child, path = tree.get(name), join(path, name)
        if tree.value is REFUSED:
            child = Tree(REFUSED if isinstance(field.kind, Record) else ABSENT, tree.place, tree.key)
        elif child.is_absent and field.required:
            self.faults.add(tree.heading, f"{path} is missing: {field.about}{_for_example(field)}")
        if isinstance(field.kind, Record):
            return self._record(field.kind, child, path)
        if child.is_absent:
            return self._default(field, child, path)
        return self._value(field.kind, child, path, decides=field.decides)

    def _record(self, record: Record, child: Tree, path: str) -> Section | None:
        """None where `false` stands in its place."""
        if child.value is False and record.false is not None:
            return None
        if child.value is True and record.false is not None:
            child = Tree({}, child.place, child.key)
        return self.section(record, self.plainly(child, path), path)

    def _default(self, field: Field, child: Tree, path: str) -> Any:
        match field.kind:
            case Items():
                return []
            case Named():
                return {}
            case Anything():
                return child
        return Located(Known(field.default), child.place.about(path), written=False)

    def _value(self, kind: Kind, child: Tree, path: str, *, decides: bool) -> Any:
        match kind:
            case Items():
                return self._items(kind, self.plainly(child, path), path)
            case Named():
                return self._named(kind, self.plainly(child, path), path)
            case Anything():
                return self._anything(child, path)
            case Record():
                return self.section(kind, self.plainly(child, path), path)
        return self._scalar(kind, child, path, decides=decides)

    def plainly(self, child: Tree, path: str) -> Tree:
        """A part whose structure must be seen."""
        if not (_is_secure(child) or child.is_unknown):
            return child
        self.faults.add(
            child.place, f"{path} is encrypted as a whole, so nothing of it is known: encrypt single values"
        )
        return Tree(REFUSED, child.place, child.key)

    def _items(self, kind: Items, child: Tree, path: str) -> list[Any]:
        if not (child.is_sequence or child.is_null or child.value is REFUSED):
            self.fault(child, path, "must be a list")
        return [self._value(kind.of, each, f"{path}[{i}]", decides=False) for i, each in enumerate(child.sequence)]

    def _named(self, kind: Named, child: Tree, path: str) -> dict[str, Section]:
        if not child.is_mapping and child.value is not REFUSED:
            self.fault(child, path, f"must be a mapping from names, such as {kind.example}:")
        elif child.is_mapping and not child.mapping:
            self.faults.add(child.place, f"{path} is empty, and must name at least one, such as {kind.example}:")
        self._repeated(child, path)
        return dict(self._each_named(kind, child, path))

    def _each_named(self, kind: Named, child: Tree, path: str) -> Iterator[tuple[str, Section]]:
        for name, each in child.mapping.items():
            wrong = kind.name.wrong(name)
            if wrong is not None:
                self.faults.add(each.heading, f"{path}: the name {json.dumps(name)} {wrong}")
            yield name, self.section(kind.of, self.plainly(each, join(path, name)), join(path, name))

    def _anything(self, child: Tree, path: str) -> Tree:
        if _is_secure(child) or child.is_unknown:
            return without_encrypted(child)
        if not (child.is_mapping or child.is_null):
            self.fault(child, path, "must be a mapping")
            return Tree(ABSENT, child.place, child.key)
        return Tree(ABSENT, child.place, child.key) if child.is_null else without_encrypted(child)

    def _scalar(self, kind: Text | Whole | Truth, child: Tree, path: str, *, decides: bool) -> Located[Any]:
        place = child.place.about(path)
        if _is_secure(child) or child.is_unknown:
            if decides:
                self.faults.add(
                    child.place, f"{path} is encrypted, and the fleet can't be resolved without it: write it plainly"
                )
            why = child.value if isinstance(child.value, Unknown) else Unknown(ENCRYPTED)
            return Located(why, place, secret=True)
        wrong = _wrong(kind, child)
        if wrong is not None:
            self.fault(child, path, wrong)
            return Located.unknown("it is malformed", place)
        return Located(Known(child.value), place, child.secret)


def _wrong(kind: Text | Whole | Truth, child: Tree) -> str | None:
    value = child.value
    if isinstance(kind, Truth):
        return None if isinstance(value, bool) else f"must be {kind.what}{_as_truth(value)}"
    if isinstance(kind, Whole):
        if isinstance(value, int) and not isinstance(value, bool):
            return kind.wrong(value)
        quoted = isinstance(value, str) and value.isascii() and value.isdigit()
        return f"must be {kind.what}{': remove the quotes' if quoted else ''}"
    if isinstance(value, str):
        return _wrong_text(kind, value)
    if kind.quote and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f'must be {kind.what}: quote it, "{value}", or YAML drops its zeros'
    return f"must be {kind.what}"


def _as_truth(value: object) -> str:
    word = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(str(value).lower(), str(value).lower())
    return f": write {word}, without quotes" if word in ("true", "false") else ""


def _wrong_text(kind: Text, value: str) -> str | None:
    """What is wrong with a text. Of a version with more to it than major and minor, it names what to keep."""
    wrong = kind.wrong(value)
    minor = re.match(r"v?([0-9]{1,3}\.[0-9]{1,3})(?:[.+-]|$)", value)
    return f'{wrong}: write "{minor[1]}"' if wrong is not None and kind.quote and minor is not None else wrong


def _as_mapping(record: Record, tree: Tree, path: str) -> str:
    """How what stands there is written as one: as the value of a key that there must be, or of the first, a choice."""
    fields = record.fields.items()
    kinds = {
        name: each.kind for at, (name, each) in enumerate(fields) if isinstance(each.kind, Text) and _decides(at, each)
    }
    if not (kinds and isinstance(tree.value, str) and path):
        return ""
    name, kind = next(iter(kinds.items()))
    value = tree.value if kind.wrong(tree.value) is None else (kind.choices or ("…",))[-1]
    return f": write {path.rpartition('.')[2]}: {{{name}: {value}}}"


def _decides(at: int, field: Field) -> bool:
    return field.required or (at == 0 and isinstance(field.kind, Text) and bool(field.kind.choices))


def _for_example(field: Field) -> str:
    return f", such as {field.example}" if field.example is not None else ""


# Words that others use for our keys, each with those that it may mean.
_CALLED = {
    **dict.fromkeys(("gpus", "gpucount", "gpuspernode", "count"), ("gpusPerNode",)),
    **dict.fromkeys(("replicas", "size", "desired", "desiredsize", "numnodes"), ("nodes",)),
    **dict.fromkeys(("minsize", "minnodes"), ("min",)),
    **dict.fromkeys(("maxsize", "maxnodes"), ("max",)),
    **dict.fromkeys(("version", "chartversion", "release"), ("chart", "version")),
    **dict.fromkeys(("kubernetesversion", "k8sversion", "k8s"), ("version",)),
    **dict.fromkeys(("ami", "amitype", "operatingsystem", "image"), ("os",)),
    **dict.fromkeys(("runtime", "containerdversion", "containerruntime"), ("containerd",)),
    **dict.fromkeys(("distro", "kubernetes", "flavor"), ("distribution",)),
    **dict.fromkeys(("type", "instance", "machinetype", "vmsize"), ("instanceType",)),
    **dict.fromkeys(("nodegroups", "nodepools", "groups"), ("pools",)),
}


def _nearest(name: str, record: Record) -> str:
    spelt = {_flat(each): each for each in record.fields}
    called = next((each for each in _CALLED.get(_flat(name), ()) if each in record.fields), None)
    if called is not None:
        return f"did you mean {called}?"
    near = difflib.get_close_matches(_flat(name), spelt, 1, 0.6)
    return f"did you mean {spelt[near[0]]}?" if near else f"what may stand here: {', '.join(record.fields)}"


def _flat(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
