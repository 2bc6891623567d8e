"""Reads the lines around the places of findings, as far as they are still there, for a report that shows them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from nodeworthy.collect.source.files import STDIN, Source, Unreadable, as_text, read_bytes
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.patterns import pattern
from nodeworthy.redaction import PACKED, hidden_lines
from nodeworthy.report.frame import Excerpt
from nodeworthy.verdict import Finding, Place

BEFORE, AFTER = 2, 2
# Of more places nobody reads the lines, and the page has to be opened by somebody.
MOST = 4_000
MOST_CHARACTERS = 8 * 1024 * 1024

Lines = list[str] | str


def excerpts(findings: Sequence[Finding], began: float) -> dict[tuple[str, int], Excerpt]:
    """The lines around each finding's place and around those that it refers to."""
    seen = ((each.where, *(related.place for related in each.related)) for each in findings)
    return _read_excerpts(findings, [place for places in seen for place in places], began)


def excerpts_of_places(
    findings: Sequence[Finding], told: Iterable[Finding], began: float
) -> dict[tuple[str, int], Excerpt]:
    """The lines around these findings' places alone. A secret in them may be what another finding speaks of."""
    return _read_excerpts(findings, [each.where for each in told], began)


def _read_excerpts(
    findings: Sequence[Finding], places: Iterable[Place], began: float
) -> dict[tuple[str, int], Excerpt]:
    """The excerpts by path and line. `began` is when the run began: what was written since may not be what was
    judged."""
    secret = {(each.where.file, each.where.line or 0) for each in findings if each.is_ == HIDDEN}
    reading = _Reading(began, secret)
    shown: dict[tuple[str, int], Excerpt] = {}
    for place in places:
        if place.path is None or place.line is None or place.host or place.path == STDIN:
            continue
        key = (place.path, place.line)
        if key not in shown and len(shown) < MOST:
            shown[key] = reading.around(*key)
    return shown


class _Reading:
    """Each file once."""

    def __init__(self, began: float, secret: Collection[tuple[str, int]]) -> None:
        self._began = began
        # Lines that hold a secret which its place tells, and not its form.
        self._secret = secret
        self._files: dict[str, tuple[Lines, bool]] = {}
        self._left = MOST_CHARACTERS

    def around(self, path: str, line: int) -> Excerpt:
        if path not in self._files:
            self._files[path] = self._read(path)
        lines, changed = self._files[path]
        since = "the file has changed since it was judged" if changed else ""
        if isinstance(lines, str):
            return Excerpt(says=f"its lines are not shown: {lines}")
        if not 1 <= line <= len(lines):
            return Excerpt(says=since or f"the file has no line {line}")
        first = max(1, line - BEFORE)
        shown = enumerate(lines[first - 1 : line + AFTER], first)
        return Excerpt(first, tuple(HIDDEN if (path, at) in self._secret else each for at, each in shown), since)

    def _read(self, path: str) -> tuple[Lines, bool]:
        if self._left <= 0:
            return "there are too many of them", False
        try:
            lines = shown_lines(path)
            changed = Path(path).stat().st_mtime > self._began
        except Unreadable as problem:
            return f"{path} {problem.why}", False
        except (OSError, ValueError) as problem:
            return f"{path}: {problem}", False
        self._left -= sum(map(len, lines))
        return lines, changed


# The lines of a file as a report may show them: no secret in them, and only where it is text.


LIMIT = 1024 * 1024
# What is base64 may hold anything. Digests are long, too, but in one case.
_BASE64 = pattern(r"[A-Za-z0-9+/]{60,}={0,2}")


def shown_lines(path: str) -> list[str]:
    """Raises Unreadable, with the reason."""
    source = Source(Path(path), path, True, os.path.realpath(path))
    if source.path.is_file() and source.path.stat().st_size > LIMIT:
        raise Unreadable(f"is larger than {LIMIT // 1024 // 1024} MiB, the most that is shown of a file")
    text = _BASE64.sub(_packed, hidden_lines(as_text(read_bytes(source))))
    return text.removesuffix("\n").split("\n")


def _packed(found: re.Match[str]) -> str:
    text = found.group()
    return PACKED if text != text.lower() and text != text.upper() else text
