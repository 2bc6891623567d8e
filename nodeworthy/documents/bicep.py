"""Bicep, as far as its resources and modules say what they make: objects, lists, texts, parameters and variables; what
is computed (functions, loops, what another resource outputs) is unknown. And ARM's templates in JSON, which say the
same."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field, replace
from nodeworthy.verdict import Place, Unknown

_TOKEN = pattern(
    r"(?P<space>[ \t\r]+|//[^\n]*|/\*.*?\*/)|(?P<line>\n)|(?P<text>'''.*?'''|'(?:\\.|[^'\\\n])*')|(?P<number>\d+)|"
    r"(?P<name>[A-Za-z_]\w*)|(?P<mark>==|!=|&&|\|\||\?\?|[^\s\w])",
    re.DOTALL,
)
_LINE = pattern(r"\n")
_OPENS, _CLOSES = "([{", ")]}"
_DEEPEST = 60
_WORDS: Mapping[str, Any] = {"true": True, "false": False, "null": None}
_ESCAPE = pattern(r"\\(.)")
# A value of ARM's that is read somewhere else in the template.
_REFERENCE = pattern(r"\[(parameters|variables)\('([^']+)'\)\]")


@dataclass(frozen=True)
class Declared:
    """A resource, or a module that is called."""

    # `Microsoft.ContainerService/managedClusters`, without its version; of a module where it comes from.
    type: str
    body: Tree
    # As others in its template refer to it.
    symbol: str = ""


def resources_of_bicep(text: str, place: Place, given: Mapping[str, Tree] | None = None) -> list[Declared]:
    """`given` are parameters that a file of parameters sets."""
    return _Reader(text, place, dict(given or {})).declared()


def parameters_of_bicep(text: str, place: Place) -> dict[str, Tree]:
    """What a `.bicepparam` sets."""
    reader = _Reader(text, place, {})
    reader.declared()
    return reader.names


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int


@dataclass
class _Reader:
    source: str
    place: Place
    given: dict[str, Tree]
    names: dict[str, Tree] = field(default_factory=dict)
    at: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        found = (_Token(each.lastgroup or "", each[0], each.start()) for each in _TOKEN.finditer(self.source))
        self.tokens = [each for each in found if each.kind != "space"]
        self.lines = [-1, *(each.start() for each in _LINE.finditer(self.source))]

    def declared(self) -> list[Declared]:
        made = list[Declared]()
        while self.at < len(self.tokens):
            word = self._next()
            if word.kind == "name" and word.text in ("param", "var"):
                self._named(is_parameter=word.text == "param")
            elif word.kind == "name" and word.text in ("resource", "module"):
                made += self._resource()
            if word.kind != "line":
                self._to_the_end_of_the_line()
        return made

    def _named(self, *, is_parameter: bool) -> None:
        """`param NAME TYPE = VALUE`, `var NAME = VALUE`; a parameter without a value is whatever one gives it."""
        name = self._next()
        while self._here().kind not in ("line", "") and self._here().text != "=":
            self._next()
        said = Tree(Unknown(f"{name.text} is a parameter that nothing here sets"), self._place(name.at))
        if self._here().text == "=":
            self._next()
            said = self._value()
        self.names[name.text] = self.given.get(name.text, said) if is_parameter else said

    def _resource(self) -> Iterator[Declared]:
        """What exists already is not made here; what a loop makes is not known."""
        symbol, kind = self._next(), self._next()
        if kind.kind != "text" or self._here().text == "existing":
            return
        while self._here().text not in ("{", "[", "") and self._here().kind != "line":
            self._next()
        if self._here().text == "if":
            self._next()
        if self._here().text == "{":
            yield Declared(kind.text.strip("'").partition("@")[0], self._value(), symbol.text)

    # Values

    def _value(self) -> Tree:
        """Up to the end of its line, or of what it stands in; what is computed of several is not known."""
        first = self._here()
        value = self._plain()
        if self._here().text == "?" and isinstance(value.value, bool):
            return self._chosen(is_first=value.value)
        if self._ends():
            return value
        self._skip()
        return Tree(Unknown("it is computed when the template is deployed"), self._place(first.at))

    def _chosen(self, *, is_first: bool) -> Tree:
        self._next()
        first = self._plain()
        if self._here().text == ":":
            self._next()
        second = self._plain()
        return first if is_first else second

    def _plain(self) -> Tree:
        token = self._next()
        place = self._place(token.at)
        if token.text in ("{", "["):
            return self._within(token, place)
        if token.kind == "text":
            return self._text(token, place)
        if token.kind == "number":
            return Tree(int(token.text), place)
        if token.kind == "name" and token.text in _WORDS:
            return Tree(_WORDS[token.text], place)
        if token.kind == "name" and self._here().text not in ("(", ".", "["):
            named = self.names.get(token.text)
            return named if named is not None else Tree(Unknown(f"{token.text} is set elsewhere"), place)
        self._skip()
        return Tree(Unknown("it is computed when the template is deployed"), place)

    def _within(self, token: _Token, place: Place) -> Tree:
        """Reads a nested value, up to a depth that nobody reaches by hand."""
        if self.depth >= _DEEPEST:
            self._skip()
            self._next()
            return Tree(Unknown("it is nested too deep to be read"), place)
        self.depth += 1
        made = self._object(place) if token.text == "{" else self._list(place)
        self.depth -= 1
        return made

    def _text(self, token: _Token, place: Place) -> Tree:
        if token.text.startswith("'''"):
            return Tree(token.text[3:-3], place)
        text, inner = token.text[1:-1], pattern(r"\$\{(\w+)\}")
        filled = inner.sub(lambda found: self._filled(found[1]) or found[0], text)
        if "${" in filled:
            return Tree(Unknown(f"{text} is put together when the template is deployed"), place)
        return Tree(_ESCAPE.sub(r"\1", filled), place)

    def _filled(self, name: str) -> str | None:
        named = self.names.get(name)
        return named.text if named is not None else None

    def _object(self, place: Place) -> Tree:
        items = dict[str, Tree]()
        while not self._closed("}"):
            key = self._next()
            if key.kind in ("name", "text") and self._here().text == ":":
                self._next()
                items[key.text.strip("'")] = self._value()
        return Tree(items, place)

    def _list(self, place: Place) -> Tree:
        if self._here().text == "for":
            self._skip()
            self._next()
            return Tree(Unknown("a loop makes it when the template is deployed"), place)
        items = list[Tree]()
        while not self._closed("]"):
            if self._here().kind == "line" or self._here().text == ",":
                self._next()
                continue
            items.append(self._value())
        return Tree(items, place)

    # Tokens

    def _here(self) -> _Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _Token("", "", len(self.source))

    def _next(self) -> _Token:
        token = self._here()
        self.at += 1
        return token

    def _ends(self) -> bool:
        here = self._here()
        return here.kind in ("line", "") or here.text in (",", *_CLOSES)

    def _closed(self, mark: str) -> bool:
        if self._here().kind == "" or self._here().text == mark:
            self._next()
            return True
        return False

    def _skip(self) -> None:
        """The rest of a value, with all that is open in it."""
        open_ = 0
        while self._here().kind != "":
            here = self._here()
            if open_ == 0 and self._ends():
                return
            open_ += (here.text in _OPENS and here.kind == "mark") - (here.text in _CLOSES and here.kind == "mark")
            self._next()

    def _to_the_end_of_the_line(self) -> None:
        while self._here().kind not in ("line", ""):
            self._next()
        self._next()

    def _place(self, at: int) -> Place:
        line = bisect_left(self.lines, at)
        return replace(self.place, line=line, column=at - self.lines[line - 1])


# ARM


def resources_of_arm(document: Tree) -> Iterator[Declared]:
    """The resources, with the defaults of parameters and with the variables filled in."""
    for each in _all(document.get("resources")):
        kind = each.get("type").text
        if kind is not None:
            yield Declared(kind, _resolved(each, document))


def _all(resources: Tree) -> Iterator[Tree]:
    """A list; in newer templates a mapping by symbol."""
    yield from resources.sequence
    yield from resources.mapping.values()


def _resolved(tree: Tree, document: Tree) -> Tree:
    if tree.is_mapping:
        return replace(tree, value={name: _resolved(each, document) for name, each in tree.mapping.items()})
    if tree.is_sequence:
        return replace(tree, value=[_resolved(each, document) for each in tree.sequence])
    text = tree.string
    if not text.startswith("[") or text.startswith("[["):
        return tree
    found = _REFERENCE.fullmatch(text)
    kind, name = (found[1], found[2]) if found is not None else ("", "")
    said = document.get("parameters", name, "defaultValue") if kind == "parameters" else document.get(kind, name)
    if found is None or said.is_absent or said.string.startswith("["):
        return replace(tree, value=Unknown(f"{text} is computed when the template is deployed"))
    return said
