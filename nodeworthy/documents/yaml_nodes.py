"""The nodes of YAML, and the trees that they are.

Only `compose` is used: it keeps marks, and shares the node of an alias instead of copying it, so that what the
aliases of a document come to can be counted before anybody walks it. It is recursive C, and a nesting that is deep
enough ends the interpreter itself: what could nest that deep is counted first, by libyaml's events, which are not
recursive.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, overload

import yaml
from yaml.constructor import ConstructorError, SafeConstructor

from nodeworthy.documents.merge_keys import MERGE_KEY, MERGE_TAG, Merges, Pairs, Sizes, TooMuch
from nodeworthy.documents.tree import Scalar, Tree, join
from nodeworthy.documents.yaml import NotYaml
from nodeworthy.limits import YAML_DEEPEST
from nodeworthy.records import replace
from nodeworthy.verdict import Place, Unknown

_Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING = "tag:yaml.org,2002:str"


class Loader(_Safe):  # type: ignore[misc]
    """Says what kind a plain scalar is as PyYAML does, without asking where most scalars are words."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        if kind is yaml.ScalarNode:
            if not implicit[0] or value[:1] not in _Safe.yaml_implicit_resolvers:
                return _STRING
            return _kind_of_plain(value)
        tag: str = super().resolve(kind, value, implicit)
        return tag

    # Nobody here asks for a kind by where a node stands: of each node libyaml's loader says that it goes in and out.
    descend_resolver = staticmethod(operator.is_)
    ascend_resolver = staticmethod(bool)


_RESOLVER: Any = yaml.resolver.Resolver()


@lru_cache(maxsize=4096)
def _kind_of_plain(value: str) -> str:
    """`true`, `8080` and `- ` stand in every file."""
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False))
    return tag


class _AnchorsAgain(yaml.SafeLoader):
    """An anchor may be given again (YAML 1.2, 3.2.2.2), and from there on means the later node; libyaml's own loader
    refuses that. In Python and slow, so only a text that needs it is read by this one."""

    anchors: dict[str, yaml.Node]

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if not isinstance(event, yaml.AliasEvent) and event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        return super().compose_node(parent, index)


# Characters; what is longer takes a minute there.
_SLOW = 1_000_000
_ANCHOR_AGAIN = "found duplicate anchor"
_IN_A_QUOTE = "while scanning a quoted scalar"
_NO_TOKEN = "found character that cannot start any token"

_TAG = "tag:yaml.org,2002:"
_CONSTRUCTOR = SafeConstructor()
_CONSTRUCTED: dict[str, Any] = {
    _TAG + "int": _CONSTRUCTOR.construct_yaml_int,
    _TAG + "float": _CONSTRUCTOR.construct_yaml_float,
    _TAG + "bool": _CONSTRUCTOR.construct_yaml_bool,
}
# What SOPS leaves of a value.
_ENCRYPTED = "ENC[AES256_GCM,"
_AS_WRITTEN = {_TAG + name for name in ("str", "timestamp", "binary", "value")}


def trees(text: str, origin: Place, *, is_flat: bool = False) -> list[Tree]:
    """Every document of a text; where its lines can't be told apart in the file, flat."""
    reader = _FlatReader(origin, "") if is_flat else _Reader(origin, text)
    return [reader.tree(node, None, None) for node in _nodes(text, origin, reader)]


def nodes_of(text: str, origin: Place) -> list[Any]:
    return _nodes(text, origin, _Reader(origin, text))


def _nodes(text: str, origin: Place, reader: _Reader) -> list[Any]:
    try:
        if _could_be_deep(text):
            _refuse_depth(text, reader)
        nodes = _composed(text)
        _forget_ends(nodes)
        if MERGE_KEY in text:
            reader.merges.resolve(nodes)
        if "&" in text and "*" in text:
            Sizes(reader.merges).refuse_multiplied(nodes)
    except TooMuch as problem:
        raise NotYaml(str(problem), reader.place(problem.node) if problem.node is not None else origin) from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        if problem.context == _IN_A_QUOTE:
            mark = problem.context_mark or mark
        raise NotYaml(f"not YAML: {_why(problem, text)}", reader.at(mark, None) if mark else origin) from None
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        raise NotYaml(f"not YAML: {str(problem).splitlines()[0]}", origin) from None
    return nodes


def _composed(text: str) -> list[Any]:
    try:
        return list(yaml.compose_all(text, Loader=Loader))
    except yaml.MarkedYAMLError as problem:
        if _ANCHOR_AGAIN not in (problem.context or "") or len(text) > _SLOW:
            raise
    return list(yaml.compose_all(text, Loader=_AnchorsAgain))


def _why(problem: yaml.MarkedYAMLError, text: str) -> str:
    mark = problem.problem_mark
    if problem.context == _IN_A_QUOTE and problem.problem == "found unexpected end of stream":
        return "a quote that opens here is never closed"
    if mark is not None and problem.problem == _NO_TOKEN and text.split("\n")[mark.line][mark.column :][:1] == "\t":
        return "a tab stands where only blanks may indent"
    return " ".join(filter(None, [problem.context, problem.problem]))


def _forget_ends(nodes: list[Any]) -> None:
    """Where a node ends is only asked of a literal block, and of thousands of files all that is kept counts."""
    waiting = [each for each in nodes if each is not None]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.ScalarNode):
            if node.style != "|":
                node.end_mark = None
        elif node.end_mark is not None:
            node.end_mark = None
            pairs = isinstance(node, yaml.MappingNode)
            waiting += itertools.chain.from_iterable(node.value) if pairs else node.value


def _could_be_deep(text: str) -> bool:
    openings = sum(text.count(opening) for opening in ("[", "{", "- ", "? "))
    return openings > YAML_DEEPEST or "\n" + " " * YAML_DEEPEST in text


def _refuse_depth(text: str, reader: _Reader) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > YAML_DEEPEST:
                raise NotYaml(f"nested deeper than {YAML_DEEPEST} levels", reader.at(event.start_mark, None))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Reader:
    """Turns nodes into trees, one level at a time."""

    __slots__ = ("_column", "_line", "_lines", "_origin", "_text", "merges")

    def __init__(self, origin: Place, text: str) -> None:
        self.merges = Merges()
        self._origin = replace(origin, subject=None)
        self._line = origin.line or 1
        self._column = origin.column or 1
        self._text = text
        self._lines: list[str] | None = None

    def at(self, mark: Any, subject: str | None) -> Place:
        at = self._origin
        line, column = self._line + mark.line, self._column + mark.column
        return Place(at.path, line, column, at.urn, at.host, at.object, subject)

    def place(self, node: yaml.Node, subject: str | None = None) -> Place:
        return self.at(node.start_mark, subject)

    def inside(self, node: yaml.Node) -> Place | None:
        """Where the text of a literal block begins: the line after its `|`, behind its indentation."""
        if self._lines is None:
            self._lines = self._text.split("\n")
        first = node.start_mark.line + 1
        body = self._lines[first : node.end_mark.line + 1]
        indents = [len(line) - len(line.lstrip(" ")) for line in body if line.strip()]
        return replace(self._origin, line=self._line + first, column=self._column + min(indents[:1], default=0))

    def tree(self, node: yaml.Node, subject: str | None, key: Place | None) -> Tree:
        place = self.at(node.start_mark, subject)
        if isinstance(node, yaml.ScalarNode):
            inside = self.inside(node) if node.style == "|" else None
            return Tree(_scalar(node), place, key, False, node.value, inside)
        if isinstance(node, yaml.MappingNode):
            return Tree(_Mapping(self, node, subject), place, key)
        return Tree(_Sequence(self, node, subject), place, key)


class _FlatReader(_Reader):
    """Reads a document whose lines cannot be found in the file: all of it is placed where it begins."""

    __slots__ = ()

    def at(self, mark: Any, subject: str | None) -> Place:  # noqa: ARG002
        return replace(self._origin, subject=subject)

    def inside(self, node: yaml.Node) -> Place | None:  # noqa: ARG002
        return None


def _scalar(node: yaml.Node) -> Scalar | Unknown:
    if node.tag in _AS_WRITTEN:
        text = str(node.value)
        return Unknown("SOPS has encrypted it") if text.startswith(_ENCRYPTED) else text
    if node.tag == _TAG + "null":
        return None
    construct = _CONSTRUCTED.get(str(node.tag))
    if construct is None:
        return Unknown(f"the tag {node.tag} hides its value")
    if ":" in node.value:
        return str(node.value)  # 12:30 was a number to base 60 once; Helm and Kubernetes read a string
    try:
        constructed: Scalar = construct(node)
    except (ConstructorError, ValueError, KeyError):
        return str(node.value)
    return constructed


class _Sequence(Sequence[Tree]):
    __slots__ = ("_node", "_reader", "_subject")

    def __init__(self, reader: _Reader, node: yaml.Node, subject: str | None) -> None:
        self._reader = reader
        self._node = node
        self._subject = subject

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | Sequence[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._reader.tree(self._node.value[index], f"{self._subject or ''}[{index}]", None)

    def __len__(self) -> int:
        return len(self._node.value)


def _doubled(node: yaml.Node) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Each of a name's keys but the last, with that one. What an alias repeats was looked at where it stands."""
    waiting, seen = [node], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, yaml.ScalarNode):
            continue
        seen.add(id(one))
        if isinstance(one, yaml.SequenceNode):
            waiting += reversed(one.value)
            continue
        last: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key, value in one.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE_TAG:
                before = last.get(key.value)
                if before is not None and not _is_the_same(before[1], value):
                    yield key.value, before[0], key
                last[key.value] = (key, value)
        waiting += reversed([value for _, value in one.value])


def _is_the_same(one: yaml.Node, other: yaml.Node) -> bool:
    if type(one) is not type(other) or one.tag != other.tag:
        return False
    if isinstance(one, yaml.ScalarNode):
        return bool(one.value == other.value)
    mine, theirs = list(_parts(one)), list(_parts(other))
    return len(mine) == len(theirs) and all(map(_is_the_same, mine, theirs))


def _parts(node: yaml.Node) -> Iterator[yaml.Node]:
    for each in node.value:
        yield from each if isinstance(each, tuple) else (each,)


class _Mapping(Mapping[str, Tree]):
    """A mapping with its merge keys resolved: its own keys win, then the merged ones in their order."""

    __slots__ = ("_children", "_held", "_node", "_reader", "_subject")

    def __init__(self, reader: _Reader, node: yaml.MappingNode, subject: str | None) -> None:
        self._reader = reader
        self._node = node
        self._subject = subject
        self._held: Pairs | None = None
        # Everybody who recognises something asks each document for the same few names.
        self._children: dict[str, Tree] = {}

    @property
    def _pairs(self) -> Pairs:
        if self._held is None:
            self._held = self._reader.merges.pairs(self._node)
        return self._held

    @property
    def repeated(self) -> Iterator[tuple[str, Place, Place]]:
        """Keys that stand twice: the first place, and the one that wins. YAML says nothing of them."""
        seen: dict[str, yaml.Node] = {}
        for key, _ in self._node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE_TAG:
                first = seen.setdefault(key.value, key)
                if first is not key:
                    yield key.value, self._reader.place(first), self._reader.place(key)

    @property
    def lost(self) -> Iterator[tuple[str, Place, Place]]:
        """The keys within it that stand twice and do not say the same."""
        for name, first, again in _doubled(self._node):
            yield name, self._reader.place(first), self._reader.place(again)

    def __getitem__(self, name: str) -> Tree:
        child: Tree | None = self.get(name)
        if child is None:
            raise KeyError(name)
        return child

    def get(self, name: str, default: Any = None) -> Any:
        child = self._children.get(name)
        if child is not None:
            return child
        pair = (self._pairs if self._held is None else self._held).get(name)
        if pair is None:
            return default
        subject = join(self._subject, name)
        made = self._reader.tree(pair[1], subject, self._reader.place(pair[0], subject))
        return self._children.setdefault(name, made)

    def __contains__(self, name: object) -> bool:
        return name in self._pairs

    def __iter__(self) -> Iterator[str]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)
