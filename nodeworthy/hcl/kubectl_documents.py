"""What data sources of the provider kubectl come to: the documents of a text, and those of files that are filled in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from nodeworthy.hcl.calling import Calling, lines
from nodeworthy.hcl.codings import fileset, templatefile
from nodeworthy.hcl.source import Spot
from nodeworthy.hcl.values import Hole, Lit, Obj, Piece, Str, Value, Waits, is_null, string, text, text_of

DOCUMENTS = frozenset(("kubectl_file_documents", "kubectl_path_documents"))
_WILD = frozenset("*?[{")


def attributes(kind: str, said: Obj, c: Calling) -> Mapping[str, Value]:
    """Both have the documents as a list, and by what is in them."""
    found = [each for made in _texts(kind, said, c) for each in _documents(made)]
    named = {f"{index:04}": each for index, each in enumerate(found)}
    return {
        "documents": c.sequence("list", found),
        "manifests": Obj("map", named, said.spot, dict.fromkeys(named, said.spot)),
    }


def _texts(kind: str, said: Obj, c: Calling) -> Iterator[Str]:
    if kind == "kubectl_file_documents":
        yield _text_of_item(said, "content")
        return
    folder, names = _parted(text(_text_of_item(said, "pattern")))
    given = said.items.get("vars")
    filled = given if given is not None and not is_null(given) else Obj("map", {}, said.spot, {})
    found = fileset(c, text_of(folder, said.spot), text_of(names, said.spot))
    for each in getattr(found, "items", ()):
        yield string(templatefile(c, text_of(os.path.join(folder, text(each)), said.spot), filled))  # noqa: PTH118 - a path as text


def _text_of_item(said: Obj, name: str) -> Str:
    found = said.items.get(name)
    if found is None:
        raise Waits(Hole(f"its {name} is not known", said.spot))
    return string(found)


def _parted(pattern: str) -> tuple[str, str]:
    """The folder, and the pattern of what lies in it."""
    steps = pattern.split("/")
    wild = next((index for index, each in enumerate(steps) if not _WILD.isdisjoint(each)), len(steps) - 1)
    return "/".join(steps[:wild]) or ".", "/".join(steps[wild:])


def _documents(made: Str) -> Iterator[Str]:
    pieces: list[Piece] = []
    for row in lines(made):
        if _parts(row):
            yield from _document(pieces, made)
            pieces = []
            continue
        pieces += [*row, Lit("\n", row[0].spot if row else made.spot)]
    yield from _document(pieces, made)


def _parts(row: list[Piece]) -> bool:
    return len(row) == 1 and isinstance(row[0], Lit) and row[0].text.rstrip() == "---"


def _document(pieces: list[Piece], made: Str) -> Iterator[Str]:
    """What holds nothing is none."""
    if any(isinstance(each, Hole) or each.text.strip() for each in pieces):
        yield Str(pieces, _first(pieces, made.spot), made.secret)


def _first(pieces: list[Piece], otherwise: Spot) -> Spot:
    return pieces[0].spot if pieces else otherwise
