"""Reads the JSON that Kubernetes' tools print, one object of a list after the other: a list may be large.

`kubectl get -o json` prints `kind: List` after its items, each with a kind of its own; the API server and
`kubectl cluster-info dump` print `kind: PodList` first, and items without one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_BLANK = pattern(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class NotJson(Exception):
    def __init__(self, why: str, place: Place) -> None:
        super().__init__(f"{place}: {why}")
        self.why = why
        self.place = place


@dataclass(frozen=True)
class Item:
    """An element of `items`; a typed list names the kind of its elements, if it has come to that by now."""

    data: Any
    list_kind: str
    list_version: str


@dataclass(frozen=True)
class Whole:
    """All of a document but its items."""

    data: Mapping[str, Any]
    has_items: bool


def read_objects(text: str, place: Place) -> Iterator[Item | Whole]:
    """The items of a document as they come, then the document without them."""
    try:
        yield from _Reader(text).document()
    except json.JSONDecodeError as problem:
        why = f"not JSON: {problem.msg[:1].lower()}{problem.msg[1:]}"
        raise NotJson(why, Place(place.path, problem.lineno, problem.colno)) from None
    except RecursionError:
        raise NotJson("not JSON that Kubernetes prints: it is nested too deeply", place) from None
    except ValueError as problem:  # a number of thousands of digits
        raise NotJson(f"not JSON: {problem}", place) from None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self) -> Iterator[Item | Whole]:
        if self._next() != "{":
            json.loads(self._text)  # says where it is no JSON
            yield Whole({}, has_items=False)
            return
        members: dict[str, Any] = {}
        has_items = False
        for name in self._members():
            if name == "items" and self._next() == "[":
                has_items = True
                for data in self._elements():
                    yield Item(data, _text(members, "kind"), _text(members, "apiVersion"))
            else:
                members[name] = self._value()
        if self._next():
            raise json.JSONDecodeError("Something follows the document", self._text, self._at)
        # An empty list may be printed as null.
        yield Whole(members, has_items or ("items" in members and members["items"] is None))

    def _next(self) -> str:
        self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
        return self._text[self._at : self._at + 1]

    def _take(self, what: str) -> None:
        if self._next() != what:
            raise json.JSONDecodeError(f"Expecting {what!r}", self._text, self._at)
        self._at += 1

    def _value(self) -> Any:
        self._next()
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _members(self) -> Iterator[str]:
        self._take("{")
        while self._next() != "}":
            if self._next() != '"':
                raise json.JSONDecodeError("Expecting a property name in double quotes", self._text, self._at)
            name = self._value()
            self._take(":")
            yield name
            self._separator("}")
        self._at += 1

    def _elements(self) -> Iterator[Any]:
        self._take("[")
        while self._next() != "]":
            yield self._value()
            self._separator("]")
        self._at += 1

    def _separator(self, end: str) -> None:
        """A comma where more follows; the end is left to be seen."""
        if self._next() == end:
            return
        self._take(",")
        if self._next() == end:
            raise json.JSONDecodeError("Expecting a value after the comma", self._text, self._at)


def _text(members: Mapping[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""
