"""Finds what nobody should read in a text: tokens, passwords, private keys.

By shape (`ghp_…`, a private key), by name (`PASSWORD=…`, `--token …`, `apiKey: …`) and by the command that takes it
(`curl -u user:…`). Never by how random it looks: certificates, hashes and digests do too. What is filled in when the
script runs (`$TOKEN`, `$(aws …)`), what points to a secret (a path, an ARN) and what only stands for one (`<TOKEN>`)
is none. Linear in the text, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nodeworthy.known.secret_arguments import by_argument
from nodeworthy.known.secret_names import holds, is_secret
from nodeworthy.known.secret_shapes import by_shape
from nodeworthy.known.secret_variables import by_name, called
from nodeworthy.records import dataclass

HIDDEN = "(secret)"
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_QUOTES = " \t\"'\\"
_Found = tuple[int, int, str, str]


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, and what it is; never what it says."""

    start: int
    end: int
    # "a GitHub token"
    what: str
    # The variable, key or flag that holds it, where there is one.
    name: str
    line: int
    column: int


def spans(text: str) -> list[Secret]:
    """Every secret, in the order of the text; of two that overlap the one whose maker gave it its form."""
    found = _found(text)
    return list(_placed(text, _apart(found))) if found else []


def _found(text: str) -> list[_Found]:
    found = [(start, end, what, name_before(text, start)) for start, end, what in by_shape(text)]
    found += by_name(text)
    found += [(start, end, what, "") for start, end, what in by_argument(text)]
    return found


def what_is(name: str, value: str) -> str | None:
    """What this value is, if it is a secret; its name is that of the key or variable that holds it. A name with a slash
    is an annotation's (`checksum/secret`), and says nothing."""
    kind = holds(name) if "/" not in name else None
    if kind is not None and is_secret(value, kind, name):
        return called(name)
    return next((each.what for each in spans(value)), None)


def perhaps(text: str) -> list[Secret]:
    """Those, and what may be one: what is better shown to nobody."""
    from nodeworthy.known.secret_doubts import in_doubt

    return list(_placed(text, _apart([*_found(text), *in_doubt(text)])))


def _apart(found: list[_Found]) -> Iterator[_Found]:
    """Those that overlap as one: as wide as all of them, and told as the first in the list."""
    merged: list[tuple[int, _Found]] = []
    for rank, (start, end, what, name) in sorted(enumerate(found), key=lambda each: (each[1][0], each[0])):
        if not merged or start >= merged[-1][1][1]:
            merged.append((rank, (start, end, what, name)))
            continue
        first, (begins, ends, told, named) = merged[-1]
        merged[-1] = (
            min(first, rank),
            (begins, max(ends, end), told if first <= rank else what, named or name),
        )
    return (each for _, each in merged)


def _placed(text: str, found: Iterable[_Found]) -> Iterator[Secret]:
    line, counted, begins = 1, 0, 0
    for start, end, what, name in found:
        line += text.count("\n", counted, start)
        begins = max(text.rfind("\n", counted, start) + 1, begins)
        counted = start
        yield Secret(start, end, what, name, line, start - begins + 1)


def name_before(text: str, start: int) -> str:
    """`NAME=`, `name: "`: the name, if what stands here is the value of one."""
    before = text[max(0, start - 80) : start].rstrip(_QUOTES)
    if before[-1:] not in ("=", ":") or before[-1:] == text[start - 1 : start] == ":":
        return ""
    before = before[:-1].rstrip(_QUOTES)
    name = before[len(before.rstrip(_NAME)) :].lstrip("-.")
    return "" if name == "value" else name  # of `name: TOKEN`, `value: …` the other one tells
