"""Reads the JSON that Kubernetes' tools print, one object of a list after the other: a list may be large.

`kubectl get -o json` prints `kind: List` after its items, each with a kind of its own; the API server and
`kubectl cluster-info dump` print `kind: PodList` first, and items without one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.documents.json_window import Fault, Window
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


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


def read_objects(pieces: Iterable[str], place: Place) -> Iterator[Item | Whole]:
    """The items of a document as they come, then the document without them. Its text may come in pieces."""
    window = Window(pieces)
    if not window.next():
        raise NotJson("it is empty", place)
    try:
        yield from _document(window)
    except Fault as fault:
        why = f"not JSON: {fault.why[:1].lower()}{fault.why[1:]}"
        raise NotJson(why, Place(place.path, fault.line, fault.column)) from None
    except RecursionError:
        raise NotJson("not JSON that Kubernetes prints: it is nested too deeply", place) from None
    except ValueError as problem:  # a number of thousands of digits
        raise NotJson(f"not JSON: {problem}", place) from None


def _document(window: Window) -> Iterator[Item | Whole]:
    members: dict[str, Any] = {}
    has_items = False
    for name in _members(window):
        if name == "items" and window.next() == "[":
            has_items = True
            for data in _elements(window):
                yield Item(data, _text(members, "kind"), _text(members, "apiVersion"))
        else:
            members[name] = window.value()
    if window.next():
        raise window.fault("Something follows the document")
    # An empty list may be printed as null.
    yield Whole(members, has_items or ("items" in members and members["items"] is None))


def _members(window: Window) -> Iterator[str]:
    """The names of an object, before each of its values; what is no object has none."""
    if window.next() != "{":
        _pass_over(window)
        return
    window.take("{")
    while window.next() != "}":
        if window.next() != '"':
            raise window.fault("Expecting a property name in double quotes")
        name = window.value()
        window.take(":")
        yield name
        _separator(window, "}")
    window.take("}")


def _pass_over(window: Window) -> None:
    if window.next() != "[":
        window.value()
        return
    for _ in _elements(window):
        pass


def _elements(window: Window) -> Iterator[Any]:
    window.take("[")
    while window.next() != "]":
        yield window.value()
        _separator(window, "]")
    window.take("]")


def _separator(window: Window, end: str) -> None:
    """A comma where more follows; the end is left to be seen."""
    if window.next() == end:
        return
    window.take(",")
    if window.next() == end:
        raise window.fault("Expecting a value after the comma")


def _text(members: Mapping[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""
