"""Lists of commands in cloud-config, as the one script that cloud-init makes of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.boot.cloud_merge import Piece
from nodeworthy.boot.cloud_steps import Ran
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Origin, Pinned, Stacked
from nodeworthy.boot.perhaps import Arms, between
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.documents.tree import Tree

Rows = tuple[str, Origin]


def ran(
    key: str, pieces: Sequence[Piece], stage: Stage, faults: list[Fault], *, name: str = "", program: str = ""
) -> Iterator[Ran]:
    """The script, if there is one. A list among the items is one command, word by word; a string is shell."""
    rows: list[Rows] = []
    arms: Arms = ()
    is_spoilt = False
    for piece in pieces:
        if not piece.tree.is_sequence and not (program and piece.tree.is_mapping):
            if not piece.tree.is_null:
                what = f"{key} is {piece.tree.kind()}, not a list: cloud-init fails, and runs nothing of it"
                place = piece.place
                faults.append(Fault(FaultKind.NOT_READABLE, place, what, "write one item for each command"))
                is_spoilt = True
            continue
        found, spoilt = _read(key, piece, faults, program)
        is_spoilt = is_spoilt or () in spoilt
        for row, here in found:
            if not any(here[: len(each)] == each for each in spoilt):
                rows += _led(piece.document, arms, here)
                rows.append(row)
                arms = here
        rows += _led(piece.document, arms, ())
        arms = ()
    if not rows or is_spoilt:
        return
    firsts = [1]
    for text, _ in rows:
        firsts.append(firsts[-1] + text.count("\n") + 1)
    origin = Stacked(firsts[:-1], [each for _, each in rows])
    text = "".join(f"{text}\n" for text, _ in rows)
    jinja = any(piece.document.fillings.jinja for piece in pieces)
    given = pieces[0].document.given if len(pieces) == 1 else ()
    place = origin.at(1)
    yield Ran(place=place, stage=stage, guard=given, key=key, text=text, origin=origin, name=name, jinja=jinja)


def _read(key: str, piece: Piece, faults: list[Fault], program: str) -> tuple[list[tuple[Rows, Arms]], set[Arms]]:
    """The items, each with the branches of a template under which it is there; and the branches in which cloud-init
    fails at one of them, and runs none."""
    rows: list[tuple[Rows, Arms]] = []
    spoilt: set[Arms] = set()
    for item in _items(piece.tree):
        here, before = piece.document.arms(item), len(faults)
        row = _row(key, item, piece.document, faults, program)
        if len(faults) > before:
            spoilt.add(here)
        if row is not None:
            rows.append((row, here))
    return rows, spoilt


def _led(document: Document, before: Arms, after: Arms) -> Iterator[Rows]:
    """The directives between two items, as lines of the script."""
    return ((raw, Pinned(document.origin.at(line))) for raw, line in between(before, after))


def _items(tree: Tree) -> Iterator[Tree]:
    if tree.is_mapping:
        yield from (tree.mapping[name] for name in sorted(tree.mapping))
    yield from tree.sequence


def _row(key: str, item: Tree, document: Document, faults: list[Fault], program: str) -> Rows | None:
    if item.is_sequence:
        words = [_word(word, document) for word in item.sequence if not (program and word.is_null)]
        if program and words[:1] != [f"'{program}'"]:
            words.insert(0, f"'{program}'")
        return " ".join(words), Pinned(document.place(item))
    if item.text is not None:
        return document.shown(item), document.lines_of(item)
    if item.is_null:
        return None
    what = f"an item of {key} is {item.kind()}, not a command: cloud-init fails, and runs none of {key}"
    remedy = "quote it as a whole, or write it as a block (- |): a ': ' inside makes a mapping of it"
    faults.append(Fault(FaultKind.NOT_READABLE, document.place(item), what, remedy))
    return None


def _word(word: Tree, document: Document) -> str:
    quoted = document.shown(word).replace("'", "'\\''")
    return f"'{quoted}'"
