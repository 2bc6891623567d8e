"""Scripts of a boot that their shell can't read to the end, or reads as other commands than were meant."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.cloud_steps import Ran
from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.strict.reading import Broken
from nodeworthy.boot.shell.strict.scripts import why_broken
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.facts.boot.cut_short import CutShort, cut_short, folded, may_be_cut_short
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.boot.source_line import SourcePart
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

LONGEST = 120


@dataclass(frozen=True)
class Unreadable:
    broken: Broken
    origin: Origin
    text: str

    @property
    def place(self) -> Place:
        """Where bash says it: of what has no end, behind the last line, and that is the last line here."""
        last = self.text.rstrip("\n").count("\n") + 1
        return self.origin.at(min(self.broken.line, last), 1)

    @property
    def words(self) -> str:
        """Bash's own; of a token that is half of the script its beginning."""
        first = self.broken.words.partition("\n")[0]
        return shortened(first) if first == self.broken.words else f"{first[:LONGEST]}…"

    @property
    def begins(self) -> Place:
        """Where the command begins that it could not read."""
        return self.origin.at(self.broken.line_of_begin, 1)


def shortened(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"


def shell_parts(script: BootScript) -> list[Part]:
    return [each for each in script.userdata.parts if each.kind in (PartKind.SHELL, PartKind.BOOTHOOK)]


def unreadable(script: BootScript) -> Iterator[Unreadable]:
    for part in shell_parts(script):
        broken = why_broken(part.text, template=script.userdata.is_template, jinja=part.jinja)
        if broken is not None:
            yield Unreadable(broken, part.origin, part.text)


def commands_cut_short(script: BootScript) -> Iterator[tuple[CutShort, SourcePart]]:
    """Of the commands that have an effect: each stands in the part that holds its line."""
    if script.userdata.unread:
        return
    template = script.userdata.is_template or script.userdata.is_braced
    for part in map(SourcePart, script.userdata.parts):
        if may_be_cut_short(part.part.text):
            found = (part.index_of(each.place) for each in script.timeline.effects)
            begins = sorted({each for each in found if each is not None})
            yield from ((each, part) for each in cut_short(part.rows, begins, template=template))
    yield from _folded(script.userdata)


def _folded(userdata: UserData) -> Iterator[tuple[CutShort, SourcePart]]:
    """Of cloud-config's commands: YAML made one line of several, each of which a backslash was to continue."""
    steps = userdata.cloud_config.steps if userdata.cloud_config else ()
    for step in (each for each in steps if isinstance(each, Ran) and "\\ " in each.text):
        for number, row in enumerate(step.text.split("\n"), 1):
            place = step.origin.at(number)
            part = next((each for each in map(SourcePart, userdata.parts) if each.index_of(place) is not None), None)
            index = part.index_of(place) if part is not None and "\\ " in row else None
            found = folded(part.rows, index, row) if part is not None and index is not None else None
            if part is not None and found is not None:
                yield found, part
