"""What cloud-config writes: the files of `write_files`, and the one script that each list of commands becomes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence

from nodeworthy.boot.cloud_merge import Piece
from nodeworthy.boot.cloud_steps import Ran, WrittenFile
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.gzipped import gunzip
from nodeworthy.boot.origin import Encoded, Folded, Origin, Pinned, Stacked
from nodeworthy.boot.perhaps import Arms, between
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import FaultKind, UserDataFault
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace

# Lists of commands in cloud-config, as the one script that cloud-init makes of each.

Rows = tuple[str, Origin]


def ran(
    key: str, pieces: Sequence[Piece], stage: Stage, faults: list[UserDataFault], *, name: str = "", program: str = ""
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
                faults.append(UserDataFault(FaultKind.NOT_READABLE, place, what, "write one item for each command"))
                is_spoilt = True
            continue
        found, spoilt = _read_items(key, piece, faults, program)
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


def _read_items(
    key: str, piece: Piece, faults: list[UserDataFault], program: str
) -> tuple[list[tuple[Rows, Arms]], set[Arms]]:
    """The items, each with the branches of a template under which it is there. And the branches in which cloud-init
    fails at one of the items, and runs none."""
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


def _row(key: str, item: Tree, document: Document, faults: list[UserDataFault], program: str) -> Rows | None:
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
    faults.append(UserDataFault(FaultKind.NOT_READABLE, document.place(item), what, remedy))
    return None


def _word(word: Tree, document: Document) -> str:
    quoted = document.shown(word).replace("'", "'\\''")
    return f"'{quoted}'"


# `write_files` of cloud-config: what it writes, decoded.

_ENCODINGS = {
    "gz": ("gzip",),
    "gzip": ("gzip",),
    "gz+base64": ("base64", "gzip"),
    "gzip+base64": ("base64", "gzip"),
    "gz+b64": ("base64", "gzip"),
    "gzip+b64": ("base64", "gzip"),
    "b64": ("base64",),
    "base64": ("base64",),
    "": (),
    "text/plain": (),
}
_SPACE = pattern(r"\s+")
_TRUE = {"true", "yes", "on", "1"}


@dataclass(frozen=True)
class _Decoded:
    content: Content | None
    encoding: tuple[str, ...] = ()
    why: str = ""


def written_files(entry: Tree, document: Document, faults: list[UserDataFault]) -> list[WrittenFile]:
    """One file, or the ways in which it may end, of which a template's directives choose one."""
    path = entry.get("path")
    place = document.place(entry if path.is_absent else path)
    if not entry.is_mapping or not document.scalar(path):
        what = "an entry of write_files names no path: cloud-init passes it over"
        faults.append(UserDataFault(FaultKind.NOT_READABLE, document.place(entry), what, "add 'path: …'"))
        return []
    decoded = _content(entry, document, faults)
    whole = WrittenFile(
        place=place,
        stage=Stage.PACKAGES if is_true(entry.get("defer")) else Stage.WRITE_FILES,
        guard=document.guard(entry),
        path=document.scalar(path),
        content=decoded.content,
        why=decoded.why,
        append=is_true(entry.get("append")),
        permissions=_permissions(entry.get("permissions")),
        encoding=decoded.encoding,
    )
    content = entry.get("content")
    if decoded.content is None or decoded.encoding or content.text is None:
        return [whole]
    ways = document.contents(content)
    return [replace(whole, guard=(*whole.guard, *guard), content=each) for guard, each in ways]


def is_true(tree: Tree) -> bool:
    return tree.value is True or tree.string.strip().lower() in _TRUE


def _permissions(tree: Tree) -> str:
    """Cloud-init takes a number as it is, whatever its digits look like, and a string as octal."""
    if isinstance(tree.value, int) and not isinstance(tree.value, bool):
        return f"{tree.value:04o}"
    return tree.text.strip().zfill(4) if tree.text else "0644"


def _content(entry: Tree, document: Document, faults: list[UserDataFault]) -> _Decoded:
    tree = entry.get("content")
    if tree.is_absent and not entry.get("source").is_absent:
        return _Decoded(None, why="it is fetched from elsewhere when the node boots")
    encoding = _ENCODINGS.get(entry.get("encoding").string.strip().lower(), ())
    if not encoding and document.is_tagged(tree, "!!binary"):
        encoding = ("base64",)
    if tree.says_nothing:
        return _Decoded(Content(), encoding)
    if tree.is_mapping or tree.is_sequence or tree.is_unknown:
        what = f"the content of a file is {tree.kind()}, not a string: cloud-init fails, and writes none of the files"
        faults.append(
            UserDataFault(FaultKind.NOT_READABLE, document.place(tree), what, "write it as a block: 'content: |'")
        )
        return _Decoded(None, encoding, "it is no string")
    if not encoding:
        return _Decoded(document.content(tree))
    if document.fillings.text(tree.string).holes:
        return _Decoded(None, encoding, "a template fills it in, encoded")
    return _decoded(tree, encoding, document, faults)


def _decoded(tree: Tree, encoding: tuple[str, ...], document: Document, faults: list[UserDataFault]) -> _Decoded:
    text, origin, called = tree.string, document.lines_of(tree), "the file's content"
    data = text.encode("utf-8", "replace")
    damaged = _Decoded(None, encoding, "it can't be decoded")
    if "base64" in encoding:
        try:
            data = base64.b64decode(_SPACE.sub("", text), validate=True)
        except (binascii.Error, ValueError):
            faults.append(_fault(FaultKind.BAD_ENCODING, tree, document, "is not base64"))
            return damaged
        origin = Encoded(origin, text, data, called)
    if "gzip" in encoding:
        data, problem = gunzip(data)
        if problem is not None:
            faults.append(_fault(problem, tree, document, f"is gzip that can't be unpacked ({problem.lower()})"))
            return damaged
        origin = Folded(origin.at(1), called)
    lines = data.decode("utf-8", "replace").split("\n")
    is_open = lines[-1] != ""
    if not is_open:
        lines.pop()
    rows = (Line(Text.of(line), origin.at(row)) for row, line in enumerate(lines, 1))
    return _Decoded(Content(tuple(rows), is_open), encoding)


def _fault(kind: FaultKind, tree: Tree, document: Document, what: str) -> UserDataFault:
    message = f"the content of a file {what}: cloud-init fails, and writes none of the files behind it"
    return UserDataFault(kind, document.place(tree), message, "encode it again (base64 -w0 FILE), or name its encoding")
