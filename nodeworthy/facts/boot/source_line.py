"""The commands of a script as they were written, found by their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

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
# Path, line, and the line within what is packed.
_Line = tuple[str | None, int | None, int | None]
_STOPS_ON_ERROR = pattern(r"^[ \t]*(?:-[ \t]+)?set[ \t]+(?:-\w*e|.*-o[ \t]+errexit)|^#!.*\s-\w*e", re.MULTILINE)

# Of a cloud-config: a key of its own, and those that hold a script's commands.
_KEY = pattern(r"[A-Za-z_]\w*:")
_COMMANDS = pattern(r"(?:runcmd|bootcmd):")
# `content: |`, and what a text of YAML may say besides.
_BLOCK = pattern(r":[ \t]+[|>][-+\d]*[ \t]*$")
_HEREDOC = pattern(r"<<-?\s*[\"']?(\w+)")


@dataclass(frozen=True)
class SourcePart:
    part: Part

    @cached_property
    def rows(self) -> list[str]:
        return self.part.text.splitlines()

    def stops_on_error(self, index: int) -> bool:
        """Whether the script to which a line belongs says `set -e` anywhere: what stands in a heredoc says it for
        another shell, and each file of a cloud-config for its own. Ansible stops by itself."""
        return self.part.kind is PartKind.PLAYBOOK or self._says_so(*self._script_around(index))

    def _says_so(self, start: int, end: int) -> bool:
        if (start, end) not in self._told:
            self._told[start, end] = _STOPS_ON_ERROR.search(self._text(start, end)) is not None
        return self._told[start, end]

    @cached_property
    def _told(self) -> dict[tuple[int, int], bool]:
        return {}

    def _text(self, start: int, end: int) -> str:
        rows = self.rows[start:end]
        kept = (row for _, row in without_documents(rows)) if start == 0 and self._documents else rows
        return "\n".join(kept)

    def _script_around(self, index: int) -> tuple[int, int]:
        if self.part.kind is PartKind.CLOUD_CONFIG:
            return self._list_around(index) or self._block_around(index)
        return next(((start, end) for start, end in self._documents if start <= index < end), (0, len(self.rows)))

    @cached_property
    def _documents(self) -> list[tuple[int, int]]:
        if "<<" not in self.part.text or self.part.kind not in (PartKind.SHELL, PartKind.PLAYBOOK):
            return []
        kept = [index for index, _ in without_documents(self.rows)]
        return [(before + 1, after) for before, after in pairwise([*kept, len(self.rows)]) if after - before > 1]

    def _list_around(self, index: int) -> tuple[int, int] | None:
        """The list of commands in which it stands: that is one script."""
        keys = [at for at, row in enumerate(self.rows) if _KEY.match(row)]
        before = [at for at in keys if at <= index]
        if not before or not _COMMANDS.match(self.rows[before[-1]]):
            return None
        return before[-1], next((at for at in keys if at > index), len(self.rows))

    def _block_around(self, index: int) -> tuple[int, int]:
        """The text of a file in which it stands (`content: |`)."""
        depth = len(self.rows)
        for start in range(index, -1, -1):
            row = self.rows[start]
            indent = len(row) - len(row.lstrip())
            if row.strip() and indent < depth:
                depth = indent
                if start < index and _BLOCK.search(row):
                    ends = (at for at in range(index, len(self.rows)) if self._is_out_of(at, indent))
                    return start + 1, next(ends, len(self.rows))
        return 0, len(self.rows)

    def _is_out_of(self, index: int, depth: int) -> bool:
        row = self.rows[index]
        return bool(row.strip()) and len(row) - len(row.lstrip()) <= depth

    def end_of_list(self, index: int) -> int:
        """Where the script ends to which a line belongs: of a cloud-config, its list of commands is one."""
        found = self._list_around(index) if self.part.kind is PartKind.CLOUD_CONFIG else None
        return found[1] if found is not None else len(self.rows)

    def is_there_with(self, other: int, index: int) -> bool:
        """Whether another line is there wherever this one is: under no directive of a template but its own."""
        arms = self._perhaps.at(other + 1)
        return self._perhaps.at(index + 1)[: len(arms)] == arms

    @cached_property
    def _perhaps(self) -> Perhaps:
        return perhaps(self.part.text, jinja=self.part.jinja)

    def index_of(self, place: Place) -> int | None:
        """Which of its lines stands there; None where it is none of them."""
        return self._first_rows.get((place.path, place.line, place.within))

    @cached_property
    def _first_rows(self) -> dict[_Line, int]:
        """The first line for each of the file: a template that was filled in has more of them, or fewer. A first line
        that nobody wrote stands where the second one does, and gives way to it."""
        found: dict[_Line, int] = {}
        for index in range(len(self.rows)):
            there = self.part.origin.at(index + 1)
            first = found.setdefault((there.path, there.line, there.within), index)
            if first == 0 and index == 1 and self.rows[0].startswith("#!"):
                found[there.path, there.line, there.within] = index
        return found


@dataclass(frozen=True)
class Source:
    userdata: UserData

    @cached_property
    def _parts(self) -> list[SourcePart]:
        return [SourcePart(part) for part in self.userdata.parts]

    def part_of(self, place: Place) -> SourcePart | None:
        found = self.line_at(place)
        return found[0] if found is not None else None

    def line_at(self, place: Place) -> tuple[SourcePart, int] | None:
        """The part in which the place is, and which of its lines it is."""
        found = ((each, each.index_of(place)) for each in reversed(self._parts))
        return next(((part, index) for part, index in found if index is not None), None)

    def stops_on_error(self, place: Place) -> bool:
        found = self.line_at(place)
        return found is not None and found[0].stops_on_error(found[1])

    def written_at(self, place: Place) -> str:
        """The whole command, on one line and cut; empty where its text can't be shown."""
        whole = self.whole_at(place)
        return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"

    def whole_at(self, place: Place) -> str:
        """The same, however long it is."""
        return " ".join(" ".join(_continued(self._rows(place))).split())

    def behind(self, place: Place, *, most: int = BEHIND) -> list[str]:
        """The lines behind a command, without those that say nothing; what goes on over several is one."""
        rows, told = self._rows(place), list[str]()
        for row in (each.strip() for each in rows[len(list(_continued(rows))) :]):
            if told and told[-1].endswith("\\"):
                told[-1] = f"{told[-1].rstrip(_GOES_ON)} {row}"
            elif row and not row.startswith("#"):
                told.append(row)
        return told[:most]

    def before(self, place: Place, *, most: int = BEHIND) -> list[str]:
        """The lines before a command, the next one first."""
        found = self.line_at(place)
        if found is None:
            return []
        part, index = found
        return [row.strip() for row in reversed(part.rows[max(index - most, 0) : index])]

    def _rows(self, place: Place) -> Sequence[str]:
        found = self.line_at(place)
        if found is None:
            return ()
        part, index = found
        return part.rows[index : index + _MOST]


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


# What stands between the parts of a command that goes on in the next line.
_GOES_ON = " \t\\"


def _continued(rows: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield row.removesuffix("\\")
        if not row.endswith(("\\", "|", "&&", "||")):
            return
