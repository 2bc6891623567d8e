"""Of which kinds files are, by their names alone: for those that nobody read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from nodeworthy.report.printable import on_one_line

# An ending that is longer tells no kind.
_LONGEST = 16


def kinds_of(paths: Iterable[str]) -> dict[str, int]:
    """`.md` or, without an ending, `Makefile`; the most frequent first."""
    counted = Counter(_kind(PurePath(each)) for each in paths)
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def _kind(path: PurePath) -> str:
    kind = path.suffix or path.name
    return on_one_line(kind) if len(kind) <= _LONGEST else "of other endings"
