"""The lines around a place, as whoever has read the file hands them over: secrets hidden."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.records import dataclass
from nodeworthy.report.html_text import text
from nodeworthy.verdict import Place

LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file; `says` is what a reader has to know of them, or why there are none."""

    first: int = 1
    lines: tuple[str, ...] = ()
    says: str = ""


# By the path and the line of the place that they show.
Excerpts = Mapping[tuple[str, int], Excerpt]


def around(place: Place, excerpts: Excerpts) -> str:
    """What stands there; nothing where the place is in no file of this machine."""
    if place.path is None or place.line is None or place.host:
        return ""
    excerpt = excerpts.get((place.path, place.line))
    if excerpt is None:
        return ""
    says = f'<p class="says-why">{text(excerpt.says)}</p>' if excerpt.says else ""
    if not excerpt.lines:
        return says
    shown = "".join(_line(excerpt.first + at, line, place) for at, line in enumerate(excerpt.lines))
    return f'<figure><pre class="lines">{shown}</pre>{says}</figure>'


def _line(number: int, line: str, place: Place) -> str:
    here = number == place.line
    shown = text(_near(line, place.column or 1 if here else 1), LONGEST_LINE + 2)
    tag = "mark" if here else "span"
    return f"<{tag}><i>{number}</i><b>{shown or ' '}</b></{tag}>"


def _near(line: str, column: int) -> str:
    """Of a line that is too long, what stands around the column."""
    if len(line) <= LONGEST_LINE:
        return line
    begins = max(0, min(column - LONGEST_LINE // 3, len(line) - LONGEST_LINE))
    ends = begins + LONGEST_LINE
    return f"{'…' if begins else ''}{line[begins:ends]}{'…' if ends < len(line) else ''}"
