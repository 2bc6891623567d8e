"""Paths as a reader of the whole repository names them, wherever in it the command ran."""

from __future__ import annotations

import posixpath

from nodeworthy.verdict import Place

STANDARD_INPUT = "-"


def path_of(place: Place, below: str) -> str | None:
    """`below` is the folder in which the command ran, as seen from the repository's root; None: it is in no file."""
    if not place.path or place.path == STANDARD_INPUT:
        return None
    return posixpath.normpath(posixpath.join(below, place.path))
