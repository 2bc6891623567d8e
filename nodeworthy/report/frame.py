"""The lines around the place of a finding, and how a terminal shows the one that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.verdict import Place

# Of a longer line, what stands around the column is shown.
LONGEST_LINE = 200
_IN_A_TERMINAL = 92


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file; `says` is what a reader has to know of them, or why there are none."""

    first: int = 1
    lines: tuple[str, ...] = ()
    says: str = ""


# By the path and the line of the place that they show.
Excerpts = Mapping[tuple[str, int], Excerpt]


def excerpt_of(place: Place, excerpts: Excerpts) -> Excerpt | None:
    """None where the place is in no file of this machine."""
    if place.path is None or place.line is None or place.host:
        return None
    return excerpts.get((place.path, place.line))


def near(line: str, column: int, longest: int = LONGEST_LINE) -> tuple[str, int]:
    """The part of a line around a column, where the line is too long; and the column's number in that part."""
    if len(line) <= longest:
        return line, column
    begins = max(0, min(column - longest // 3, len(line) - longest))
    ends = begins + longest
    before = "…" if begins else ""
    return f"{before}{line[begins:ends]}{'…' if ends < len(line) else ''}", column - begins + len(before)


def frame(place: Place, excerpts: Excerpts) -> Iterator[str]:
    """The line as it stands in the file, and a mark below its column; nothing of a file that has changed since."""
    excerpt = excerpt_of(place, excerpts)
    if excerpt is None or not excerpt.lines or excerpt.says or place.line is None:
        return
    line = excerpt.lines[place.line - excerpt.first]
    shown, column = near(line.replace("\t", " "), place.column or 1, _IN_A_TERMINAL)
    number = f"{place.line:>5}"
    yield f"{number} | {on_one_line(shown)}"
    if place.column is not None and column <= len(shown):
        yield f"{'':>5} | {' ' * (column - 1)}^"
