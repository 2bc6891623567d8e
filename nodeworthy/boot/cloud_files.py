"""`write_files` of cloud-config: what it writes, decoded."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace

from nodeworthy.boot.cloud_steps import WrittenFile
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Stage
from nodeworthy.boot.gzipped import gunzip
from nodeworthy.boot.origin import Encoded, Folded
from nodeworthy.boot.scalars import Document
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import Fault, FaultKind
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

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


def written_files(entry: Tree, document: Document, faults: list[Fault]) -> list[WrittenFile]:
    """One file, or the ways in which it may end, of which a template's directives choose one."""
    path = entry.get("path")
    place = document.place(entry if path.is_absent else path)
    if not entry.is_mapping or not document.scalar(path):
        what = "an entry of write_files names no path: cloud-init passes it over"
        faults.append(Fault(FaultKind.NOT_READABLE, document.place(entry), what, "add 'path: …'"))
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
    return tree.value is True or (tree.text or "").strip().lower() in _TRUE


def _permissions(tree: Tree) -> str:
    """Cloud-init takes a number as it is, whatever its digits look like, and a string as octal."""
    if isinstance(tree.value, int) and not isinstance(tree.value, bool):
        return f"{tree.value:04o}"
    return tree.text.strip().zfill(4) if tree.text else "0644"


def _content(entry: Tree, document: Document, faults: list[Fault]) -> _Decoded:
    tree = entry.get("content")
    if tree.is_absent and not entry.get("source").is_absent:
        return _Decoded(None, why="it is fetched from elsewhere when the node boots")
    encoding = _ENCODINGS.get((entry.get("encoding").text or "").strip().lower(), ())
    if not encoding and document.is_tagged(tree, "!!binary"):
        encoding = ("base64",)
    if tree.is_absent or tree.is_null:
        return _Decoded(Content(), encoding)
    if tree.is_mapping or tree.is_sequence or tree.is_unknown:
        what = f"the content of a file is {tree.kind()}, not a string: cloud-init fails, and writes none of the files"
        faults.append(Fault(FaultKind.NOT_READABLE, document.place(tree), what, "write it as a block: 'content: |'"))
        return _Decoded(None, encoding, "it is no string")
    if not encoding:
        return _Decoded(document.content(tree))
    if document.fillings.text(tree.text or "").holes:
        return _Decoded(None, encoding, "a template fills it in, encoded")
    return _decoded(tree, encoding, document, faults)


def _decoded(tree: Tree, encoding: tuple[str, ...], document: Document, faults: list[Fault]) -> _Decoded:
    text, origin, called = tree.text or "", document.lines_of(tree), "the file's content"
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


def _fault(kind: FaultKind, tree: Tree, document: Document, what: str) -> Fault:
    message = f"the content of a file {what}: cloud-init fails, and writes none of the files behind it"
    return Fault(kind, document.place(tree), message, "encode it again (base64 -w0 FILE), or name its encoding")
