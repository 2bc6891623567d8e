"""`#cloud-config-archive`: a YAML list of parts."""

from __future__ import annotations

from nodeworthy.boot.effects import Stage
from nodeworthy.boot.origin import Folded, Origin, Straight
from nodeworthy.boot.unpack.kinds import Type, begins_as
from nodeworthy.boot.unpack.parts import MOST_READ, Found, Reading
from nodeworthy.boot.userdata import FaultKind, PartKind
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.verdict import Place


def read_archive(found: Found, reading: Reading) -> None:
    if len(found.text) > MOST_READ:
        what = f"is larger than {MOST_READ // 1024} KiB, the most that is read of an archive"
        reading.fault(FaultKind.TOO_LARGE, found, what, "write less into it", is_doubt=True)
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    try:
        tree = read(found.text, Place())
    except NotYaml as problem:
        line = problem.place.line or 1
        reading.fault(FaultKind.NOT_READABLE, found, f"can't be read: {problem.why}", line=line)
        reading.put(found, PartKind.OTHER, Stage.SCRIPTS)
        return
    entries = tree.sequence if tree else ()
    if not entries:
        reading.fault(FaultKind.EMPTY, found, "is an archive of nothing", is_doubt=True)
    for number, entry in enumerate(entries, 1):
        _entry(entry, number, found, reading)


def _entry(entry: Tree, number: int, archive: Found, reading: Reading) -> None:
    content = entry if entry.text is not None else entry.get("content")
    text = content.text or ""
    named = entry.get("type").text
    kind = named or begins_as(text) or Type.CLOUD_CONFIG
    part = Found(text, Type.SHELL, _origin(content, archive), f"part {number} ({kind})", number, str(kind))
    part.file_name = entry.get("filename").text or ""
    if kind not in set(Type) or kind in (Type.ARCHIVE, Type.BOTTLEROCKET, Type.NODE_CONFIG):
        reading.fault(FaultKind.NOBODY_READS_IT, part, "is of a type that nobody reads")
        reading.put(part, PartKind.OTHER, Stage.SCRIPTS)
        return
    part.type = Type(kind)
    reading.add(part)


def _origin(content: Tree, archive: Found) -> Origin:
    """A literal block stands there line by line; of anything else only the beginning can be told."""
    inside = content.inside
    place = inside or content.place
    outer = archive.origin.at(place.line or 1, place.column or 1)
    if inside is None or isinstance(archive.origin, Folded):
        return Folded(outer)
    return Straight(outer)
