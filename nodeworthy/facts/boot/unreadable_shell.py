"""Scripts of a boot that their shell can't read to the end."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.origin import Origin
from nodeworthy.boot.shell.strict.reading import Broken
from nodeworthy.boot.shell.strict.scripts import why_broken
from nodeworthy.boot.userdata import Part, PartKind
from nodeworthy.facts.boot.script import BootScript
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
        return first if len(first) <= LONGEST and first == self.broken.words else f"{first[:LONGEST]}…"

    @property
    def begins(self) -> Place:
        """Where the command begins that it could not read."""
        return self.origin.at(self.broken.line_of_begin, 1)


def shell_parts(script: BootScript) -> list[Part]:
    return [each for each in script.userdata.parts if each.kind in (PartKind.SHELL, PartKind.BOOTHOOK)]


def unreadable(script: BootScript) -> Iterator[Unreadable]:
    for part in shell_parts(script):
        broken = why_broken(part.text, template=script.userdata.is_template, jinja=part.jinja)
        if broken is not None:
            yield Unreadable(broken, part.origin, part.text)
