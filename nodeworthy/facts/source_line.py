"""The command of a script that stands in some place, as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from nodeworthy.boot.userdata import Part, UserData
from nodeworthy.verdict import Place

_STOPS_ON_ERROR = re.compile(r"^\s*(?:-\s+)?set\s+(?:-\w*e|.*-o\s+errexit)|^#!.*\s-\w*e", re.MULTILINE)
LONGEST = 120


def part_of(userdata: UserData, place: Place) -> Part | None:
    """The part in which a place stands: the last that begins before it."""
    begun = (each for each in userdata.parts if (each.place.line or 0) <= (place.line or 0))
    return max(begun, key=lambda each: each.place.line or 0, default=None)


def written_at(userdata: UserData, place: Place) -> str:
    """The whole command, on one line and cut; empty where its text is packed."""
    whole = " ".join(" ".join(_continued(_rows(userdata, place))).split())
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"


def follows(userdata: UserData, place: Place, most: int) -> list[str]:
    """The lines behind a command, without those that say nothing."""
    rows = _rows(userdata, place)
    behind = (row.strip() for row in rows[len(list(_continued(rows))) :])
    return list(islice((row for row in behind if row and not row.startswith("#")), most))


def _rows(userdata: UserData, place: Place) -> list[str]:
    part = part_of(userdata, place)
    if part is None or place.line is None or part.place.line is None:
        return []
    return part.text.splitlines()[place.line - part.place.line :]


def _continued(rows: list[str]) -> Iterator[str]:
    for row in rows:
        yield row.removesuffix("\\")
        if not row.endswith(("\\", "|", "&&", "||")):
            return


def stops_on_error(part: Part | None) -> bool:
    """Whether a part says `set -e` anywhere."""
    return part is not None and _STOPS_ON_ERROR.search(part.text) is not None
