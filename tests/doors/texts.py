"""Doors that are texts: what people write there, with marks in angle brackets for what is filled in.

== the door's name
-- a file's path
its text, in which a mark that stands alone in its line is filled in as deep as it stands

"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent

_DOOR, _FILE = "== ", "-- "
# Of each door its files, by their paths.
Doors = dict[str, dict[str, str]]


def doors_in(folder: Path) -> Doors:
    doors: Doors = {}
    for path in sorted(folder.glob("*.doors")):
        for name, files in _parts(path.read_text(encoding="utf-8"), _DOOR):
            assert name not in doors, f"{path.name} has a second door called {name!r}"
            doors[name] = dict(_parts(files, _FILE))
    return doors


def _parts(text: str, mark: str) -> Iterator[tuple[str, str]]:
    """What stands below each line that begins with the mark. An empty line before the next door is not of the one
    before it."""
    for part in f"\n{text}".split(f"\n{mark}")[1:]:
        name, _, below = part.partition("\n")
        yield name, below.rstrip("\n") + "\n"


def filled(text: str, given: Mapping[str, str]) -> str:
    """A text of several lines stands as deep as its mark does."""
    lines, pattern = [], re.compile("|".join(re.escape(f"<{name}>") for name in given))
    for line in text.splitlines():
        alone = line.strip()
        if alone.removeprefix("<").removesuffix(">") in given and alone.startswith("<"):
            lines.append(indent(given[alone[1:-1]], line[: len(line) - len(line.lstrip())]))
            continue
        lines.append(pattern.sub(lambda found: given[found[0][1:-1]], line))
    return "\n".join(lines) + "\n"
