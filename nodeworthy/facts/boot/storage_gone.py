"""Lines of fstab that a boot writes and that a later step takes out again."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.masked import Mask
from nodeworthy.boot.commands.mounts import FSTAB, fstab_mounts
from nodeworthy.boot.commands.sed_regex import TooHard
from nodeworthy.boot.commands.sed_run import Run
from nodeworthy.boot.commands.sed_script import commands_of
from nodeworthy.boot.conditions import always, together
from nodeworthy.boot.content import Content, Line
from nodeworthy.boot.effects import Effect, How, Writes
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.facts.boot.final_files import asked_of_itself_apart
from nodeworthy.facts.boot.written_text import content_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_EXTENDED = pattern(r"\s(?:-\w*[Er]|--regexp-extended)")


@dataclass(frozen=True)
class TakenOut:
    by: Writes
    # Whether the line is gone for sure; else it may be.
    is_sure: bool


def taken_out(line: str, where: Text, effect: Effect, timeline: Timeline) -> TakenOut | None:
    """What becomes of a line of fstab, which mounts at `where`, behind the step that wrote it."""
    return next(_taken_out(line, where, effect, timeline), None)


def _taken_out(line: str, where: Text, effect: Effect, timeline: Timeline) -> Iterator[TakenOut]:
    for each in timeline.after(effect):
        if not isinstance(each, Writes) or each.path.known != FSTAB or each.how is How.APPEND:
            continue
        stays = _stays(line, where, each) if together(each.conditions, effect.conditions) else True
        if stays is not True:
            happens = always([asked_of_itself_apart(each.conditions, (FSTAB,))], effect.conditions)
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
