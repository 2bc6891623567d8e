"""The commands of a script as they were written, found by their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from nodeworthy.boot.origin import Stacked
from nodeworthy.boot.perhaps import Perhaps, perhaps
from nodeworthy.boot.userdata import Part, PartKind, UserData
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

LONGEST = 120
# How far behind a command somebody may look at what came of it.
BEHIND = 10
# How many lines one command, and what stands behind it, may take.
_MOST = 40
_STOPS_ON_ERROR = pattern(r"^[ \t]*(?:-[ \t]+)?set[ \t]+(?:-\w*e|.*-o[ \t]+errexit)|^#!.*\s-\w*e", re.MULTILINE)

# Of a cloud-config: a key of its own, and those that hold a script's commands.
_KEY = pattern(r"[A-Za-z_]\w*:")
_COMMANDS = pattern(r"(?:runcmd|bootcmd):")
_HEREDOC = pattern(r"<<-?\s*[\"']?(\w+)")


@dataclass(frozen=True)
class SourcePart:
    part: Part

    @cached_property
    def rows(self) -> list[str]:
        return self.part.text.splitlines()

    @cached_property
    def stops_on_error(self) -> bool:
        """Whether it says `set -e` anywhere; what it writes or sends in a heredoc says it for another shell."""
        text = self.part.text
        if self.part.kind in (PartKind.SHELL, PartKind.PLAYBOOK) and "<<" in text:
            text = "\n".join(row for _, row in without_documents(self.rows))
        return _STOPS_ON_ERROR.search(text) is not None

    def end_of_list(self, index: int) -> int:
        """Where the script ends to which a line belongs: of a cloud-config, its list of commands is one."""
        if self.part.kind is PartKind.CLOUD_CONFIG:
            keys = [at for at, row in enumerate(self.rows) if _KEY.match(row)]
            before = [at for at in keys if at <= index]
            if before and _COMMANDS.match(self.rows[before[-1]]):
                return next((at for at in keys if at > index), len(self.rows))
        return len(self.rows)

    def is_there_with(self, other: int, index: int) -> bool:
        """Whether another line is there wherever this one is: under no directive of a template but its own."""
        arms = self._perhaps.at(other + 1)
        return self._perhaps.at(index + 1)[: len(arms)] == arms

    @cached_property
    def _perhaps(self) -> Perhaps:
        return perhaps(self.part.text, jinja=self.part.jinja)

    def index_of(self, place: Place) -> int | None:
        """Which of its lines stands there; None where it is none of them."""
        origin = self.part.origin
        index = origin.line_of(place) - 1 if isinstance(origin, Stacked) else place.row - self.part.place.row
        if not 0 <= index < len(self.rows):
            return None
        there = self.part.origin.at(index + 1)
        return index if (there.path, there.line, there.within) == (place.path, place.line, place.within) else None


@dataclass(frozen=True)
class Source:
    userdata: UserData

    @cached_property
    def _parts(self) -> list[SourcePart]:
        return [SourcePart(part) for part in self.userdata.parts]

    def part_of(self, place: Place) -> SourcePart | None:
        return next((each for each in reversed(self._parts) if each.index_of(place) is not None), None)

    def written_at(self, place: Place) -> str:
        """The whole command, on one line and cut; empty where its text can't be shown."""
        whole = self.whole_at(place)
        return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"

    def whole_at(self, place: Place) -> str:
        """The same, however long it is."""
        return " ".join(" ".join(_continued(self._rows(place))).split())

    def behind(self, place: Place, *, most: int = BEHIND) -> list[str]:
        """The lines behind a command, without those that say nothing."""
        rows = self._rows(place)
        behind = (row.strip() for row in rows[len(list(_continued(rows))) :])
        return [row for row in behind if row and not row.startswith("#")][:most]

    def _rows(self, place: Place) -> Sequence[str]:
        part = self.part_of(place)
        index = part.index_of(place) if part is not None else None
        return part.rows[index : index + _MOST] if part is not None and index is not None else ()


def without_documents(rows: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The rows without those of heredocs: the script does not do what is written there."""
    until = ""
    for index, row in enumerate(rows):
        if until:
            until = "" if row.strip() == until else until
            continue
        yield index, row
        opens = _HEREDOC.search(row)
        until = opens[1] if opens is not None and "<<<" not in row else ""


def _continued(rows: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield row.removesuffix("\\")
        if not row.endswith(("\\", "|", "&&", "||")):
            return
