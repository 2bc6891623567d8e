"""The network storage that a boot mounts: by a line of fstab, a unit of systemd, or a program, now."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from enum import Enum

from nodeworthy.boot.commands.mounts import FSTAB, fstab_mounts
from nodeworthy.boot.commands.searching import Mask, TooHard
from nodeworthy.boot.commands.sed import Run
from nodeworthy.boot.commands.sed_script import commands_of
from nodeworthy.boot.conditions import always, together
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Effect, How, Mounts, Stage, Writes
from nodeworthy.boot.text import EMPTY, Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import without_own_questions
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.known.filesystems import is_network
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place

# Lines of fstab that a boot writes and that a later step takes out again.

_EXTENDED = pattern(r"\s(?:-\w*[Er]|--regexp-extended)")


@dataclass(frozen=True)
class TakenOut:
    by: Writes
    # Whether the line is gone for sure; else it may be.
    is_sure: bool


def fate_of_line(line: str, where: Text, effect: Effect, timeline: Timeline) -> TakenOut | None:
    """What becomes of a line of fstab, which mounts at `where`, behind the step that wrote it."""
    return next(_taken_out(line, where, effect, timeline), None)


def _taken_out(line: str, where: Text, effect: Effect, timeline: Timeline) -> Iterator[TakenOut]:
    for each in timeline.after(effect):
        if not isinstance(each, Writes) or each.path.known != FSTAB or each.how is How.APPEND:
            continue
        stays = _stays(line, where, each) if together(each.conditions, effect.conditions) else True
        if stays is not True:
            happens = always([without_own_questions(each.conditions, (FSTAB,))], effect.conditions)
            yield TakenOut(each, stays is False and happens is True)


def _stays(line: str, where: Text, write: Writes) -> bool | None:
    if write.how is How.DELETE:
        return False
    content = content_of(write)
    if content is None:
        return _survives(line, where, write) if write.how is How.EDIT else None
    # The lines that a whole file brings count as its own.
    if write.how is How.EDIT and _mounts(content, where):
        return True
    unread = any(not any(isinstance(piece, str) for piece in each.text.pieces) for each in content.lines)
    return None if unread else False


def _survives(line: str, where: Text, write: Writes) -> bool:
    """What sed leaves of a line that it finds wherever in the file that may be."""
    try:
        script = "\n".join(each.shown() for each in write.expressions)
        commands = commands_of(script, extended=_EXTENDED.search(write.command) is not None)
        anywhere = [each for each in commands if each.last is None and (each.first is None or each.first.regex)]
        out = Run(anywhere, Mask()).on([line])
    except TooHard:
        return True
    return _mounts(Content(tuple(Line(Text.of(text), write.place) for _, text in out)), where)


def _mounts(content: Content, where: Text) -> bool:
    return any(each.where.shown().rstrip("/") == where.shown().rstrip("/") for each in fstab_mounts(content))


# `$ a LINE`, `/swap/i LINE`: what sed adds to a file.
_PUT_IN = pattern(r"(?:^|[\s/$\d])[ai](?:\\\s*|\s+)(?P<line>\S.*)$", re.DOTALL)
_UNIT = pattern(r"/(?:etc|usr/lib|lib|run)/systemd/system/(?P<name>[^/]+\.mount)")


class By(Enum):
    FSTAB = "a line of fstab"
    UNIT = "a mount unit"
    AUTOFS = "a map of autofs"
    PROGRAM = "a program, now"


@dataclass(frozen=True)
class StorageMount:
    by: By
    what: Text
    where: Text
    kind: Text
    options: Text
    place: Place
    effect: Effect
    # Of a unit: its name, and the units that can't be without it.
    unit: str = ""
    required_by: str = ""
    # Of a line of fstab that somebody wrote out: the whole of it.
    line: str = ""
    # Of a line of fstab: the step behind it that takes it out again, or may.
    out: TakenOut | None = None

    @property
    def lasts(self) -> bool:
        """Whether it is mounted again at the next boot."""
        every_boot = self.effect.stage in (Stage.BOOTHOOK, Stage.BOOTCMD)
        return (self.by is not By.PROGRAM or every_boot) and self.has("noauto") is not True

    def has(self, option: str) -> bool | None:
        """None where only what is not known could hold it."""
        words = re.split(r"[,\s]", self.options.shown())
        if any(word == option or word.startswith(f"{option}=") for word in words):
            return True
        return None if self.options.holes else False

    def is_at(self, path: str) -> bool:
        return self.where.could_be(path) or self.where.could_be(f"{path}/")

    @property
    def is_network(self) -> bool:
        known = self.kind.known
        return is_network(known or "") or (not known and _is_remote(self.what.shown()))


def _is_remote(what: str) -> bool:
    """A server and its export, told without a type."""
    return re.match(r"(?!/|LABEL=|UUID=)[^\s/=]+:/", what) is not None


def storage_mounts(timeline: Timeline) -> list[StorageMount]:
    """The mounts in the order in which they are made, each once. What is surely taken out again is left out."""
    entries = [each for each in _lines(timeline) if each.out is None or not each.out.is_sure]
    found = [*entries, *_units(timeline), *_maps(timeline), *_programs(timeline)]
    unique: dict[tuple[object, ...], StorageMount] = {}
    for each in found:
        unique.setdefault((each.by, each.place, each.where.shown()), each)
    return list(unique.values())


def mounts_taken_out(timeline: Timeline) -> list[tuple[StorageMount, TakenOut]]:
    return [(each, each.out) for each in _lines(timeline) if each.out is not None and each.out.is_sure]


def _lines(timeline: Timeline) -> Iterator[StorageMount]:
    for each in _entries(timeline):
        columns = (each.what, each.where, each.kind, each.options)
        line = each.line or " ".join(column.shown() for column in columns)
        yield replace(each, out=fate_of_line(line, each.where, each.effect, timeline))


def _entries(timeline: Timeline) -> Iterator[StorageMount]:
    for each in timeline.of(Mounts):
        if each.at_boot:
            yield StorageMount(By.FSTAB, each.what, each.where, each.kind, each.options, each.place, each)
    for write in timeline.of(Writes):
        content = _added(write) if write.path.known == FSTAB else None
        if content is None:
            continue
        for entry in fstab_mounts(content):
            kind = _of_fuse(entry.what) if entry.kind.known == "fuse" else entry.kind
            columns = (entry.what, entry.where, kind, entry.options)
            yield StorageMount(By.FSTAB, *columns, entry.place, write, line=entry.text.shown())


def _of_fuse(what: Text) -> Text:
    """`s3fs#BUCKET` of type fuse: the older way to write fuse.s3fs."""
    program, mark, _ = what.shown().partition("#")
    return Text.of(f"fuse.{program}" if mark else "fuse")


def _added(write: Writes) -> Content | None:
    """What a step brings to a file: the lines of its own, or those that sed puts in."""
    if write.how is not How.EDIT:
        return write.content if write.how is How.APPEND else content_of(write)
    put_in = [_PUT_IN.search(each.shown()) for each in write.expressions]
    return Content(tuple(Line(Text.of(found["line"]), write.place) for found in put_in if found))


def _maps(timeline: Timeline) -> Iterator[StorageMount]:
    """autofs mounts when somebody looks, and keeps no boot waiting."""
    for write in timeline.of(Writes):
        content = _added(write) if write.path.shown().startswith("/etc/auto.") else None
        if content is None:
            continue
        for line in content.lines:
            where, _, what = line.text.shown().partition(" ")
            if where.startswith("/") and where != "/-":
                told = [Text.of(each) for each in (what, where, "autofs", "")]
                yield StorageMount(By.AUTOFS, told[0], told[1], told[2], told[3], line.place, write)


def _programs(timeline: Timeline) -> Iterator[StorageMount]:
    for each in timeline.of(Mounts):
        if not each.at_boot:
            yield StorageMount(By.PROGRAM, each.what, each.where, each.kind, each.options, each.place, each)


def _units(timeline: Timeline) -> Iterator[StorageMount]:
    for write in timeline.of(Writes):
        found = _UNIT.fullmatch(write.path.shown())
        content = content_of(write) if found is not None else None
        if found is None or content is None:
            continue
        told = {key: (value, line.place) for line in content.lines for key, value in _setting(line.text)}
        where = told.get("Where", (EMPTY, write.place))
        needs = told["RequiredBy"][0].shown() if "RequiredBy" in told else ""
        parts = [told.get(key, (EMPTY, write.place))[0] for key in ("What", "Type", "Options")]
        yield StorageMount(By.UNIT, parts[0], where[0], parts[1], parts[2], where[1], write, found["name"], needs)


def _setting(line: Text) -> Iterator[tuple[str, Text]]:
    first = line.pieces[0] if line.pieces else ""
    key, equals, value = first.partition("=") if isinstance(first, str) else ("", "", "")
    if equals and re.fullmatch(r"\s*\w+\s*", key):
        yield key.strip(), Text.of(value.strip(), *line.pieces[1:])


def unit_named_for(path: str) -> str:
    """How systemd names the unit of a mount point: /mnt/fast-data is mnt-fast\\x2ddata.mount."""
    parts = posixpath.normpath(path).strip("/").split("/")
    escaped = [re.sub(r"[^\w.:]", lambda match: f"\\x{ord(match[0]):02x}", part, flags=re.ASCII) for part in parts]
    return "-".join(escaped) + ".mount"


def network_mounts(mounts: Sequence[StorageMount]) -> list[StorageMount]:
    """`mount /data` says nothing of its kind: the line of fstab does."""
    lines = {each.where.known: each.kind for each in mounts if each.is_network and each.by is By.FSTAB}
    told = [
        replace(each, kind=lines[each.where.known]) if each.kind.holes and each.where.known in lines else each
        for each in mounts
    ]
    return [each for each in told if each.is_network]
