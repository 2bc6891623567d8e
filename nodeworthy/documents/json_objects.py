"""Reads the JSON that Kubernetes' tools print, one object of a list after the other: a list may be large.

`kubectl get -o json` prints `kind: List` after its items, each with a kind of its own; the API server and
`kubectl cluster-info dump` print `kind: PodList` first, and items without one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.patterns import pattern
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


# What comes behind a document: nothing, or the next one.
_BEGINS = ("", "{", "[")


def read_objects(pieces: Iterable[str], place: Place) -> Iterator[Item | Whole]:
    """The items of a document as they come, then the document without them. Its text may come in pieces; several
    documents may follow one another, as several calls of kubectl print them."""
    window = Window(pieces)
    if not window.next():
        raise NotJson("it is empty", place)
    try:
        while window.next():
            yield from _document(window)
            if window.next() not in _BEGINS:
                raise window.fault("Something follows the document")
    except JsonFault as fault:
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


_BLANK = pattern(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
# What ends or fails so near the end of a window may go on behind it: `12` of `123`, `\u00` of `\u00e9`.
_NEAR = 16
# Of characters. Kubernetes keeps no object of more than 2 MiB; an answer of Prometheus may be larger.
LARGEST = 128 << 20


class JsonFault(Exception):
    def __init__(self, why: str, line: int, column: int) -> None:
        super().__init__(why)
        self.why = why
        self.line = line
        self.column = column


class Window:
    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = iter(pieces)
        self._text = ""
        self._at = 0
        # Where the window begins.
        self._line = self._column = 1

    def next(self) -> str:
        """The next character that is no blank, which stays; nothing at the end."""
        while True:
            self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self, what: str) -> None:
        if self.next() != what:
            raise self.fault(f"Expecting {what!r}")
        self._at += 1

    def value(self) -> Any:
        self.next()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as problem:
                if not self._may_go_on(problem) or not self._more():
                    raise self.fault(problem.msg, problem.pos) from None
            else:
                if end + _NEAR <= len(self._text) or not self._more():
                    self._at = end
                    return value

    def fault(self, why: str, at: int | None = None) -> JsonFault:
        """A fault here, or at another place of the window."""
        return JsonFault(why, *self._place(self._at if at is None else at))

    def _may_go_on(self, problem: json.JSONDecodeError) -> bool:
        return problem.msg.startswith("Unterminated string") or problem.pos + _NEAR > len(self._text)

    def _place(self, at: int) -> tuple[int, int]:
        lines = self._text.count("\n", 0, at)
        if not lines:
            return self._line, self._column + at
        return self._line + lines, at - self._text.rindex("\n", 0, at)

    def _more(self) -> bool:
        """Reads on, and forgets what lies behind. A long value doubles the window, so that it is tried a few times."""
        kept = len(self._text) - self._at
        if kept > LARGEST:
            raise self.fault(f"A value is larger than {LARGEST >> 20} MiB")
        fresh = list(self._fresh(kept))
        if not fresh:
            return False
        self._line, self._column = self._place(self._at)
        self._text = "".join((self._text[self._at :], *fresh))
        self._at = 0
        return True

    def _fresh(self, least: int) -> Iterator[str]:
        length = 0
        for piece in self._pieces:
            yield piece
            length += len(piece)
            if length >= least:
                return
