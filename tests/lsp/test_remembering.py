"""Which findings of the text before are those of the text now."""

from __future__ import annotations

import pytest

from nodeworthy.fixes.text import Text
from nodeworthy.lsp.checking import Shift
from nodeworthy.lsp.told import Ruler
from nodeworthy.verdict import Place


@pytest.mark.parametrize(
    ("before", "now", "lines"),
    [
        ("a\nb\nc", "a\nb\nc", {1: 1, 2: 2, 3: 3}),
        ("a\nb\nc", "a\nx\nc", {1: 1, 2: None, 3: 3}),
        ("a\nb\nc", "x\na\nb\nc", {1: 2, 2: 3, 3: 4}),
        ("a\nb\nc", "a\nc", {1: 1, 2: None, 3: 2}),
        ("a\na\na", "a\na", {1: 1, 2: 2, 3: None}),
        ("a\nb", "x\ny", {1: None, 2: None}),
        ("", "a", {1: None}),
    ],
)
def test_lines_move(before: str, now: str, lines: dict[int, int | None]) -> None:
    shift = Shift.between(Text("f", before), Text("f", now))
    assert {line: shift.line(line) for line in lines} == lines


@pytest.mark.parametrize(
    ("place", "says", "range_"),
    [
        (Place("f", 1, 8), "on", (0, 7, 9)),
        (Place("f", 2, 8), "é💡", (1, 7, 12)),
        (Place("f", 2, 13), "x", (1, 13, 14)),
        (Place("f", 1, 1), None, (0, 0, 13)),
        (Place("f", 1, 1), "elsewhere", (0, 0, 13)),
        (Place("f", 3), None, (2, 2, 5)),
        (Place("f"), None, (0, 0, 13)),
        (Place("f", 99, 99), None, (4, 0, 0)),
        (Place("f", 3, 6), None, (2, 0, 5)),
    ],
)
def test_ranges_count_utf_16(place: Place, says: str | None, range_: tuple[int, int, int]) -> None:
    text = Text("f", "value: on # x\nvalue: 'é💡' x\n  end\n\n")
    found = Ruler(text).place(place, says)
    assert (found.start.line, found.start.character, found.end.character) == range_
    assert found.end.line == found.start.line


@pytest.mark.parametrize(("units", "at"), [("utf-8", 6), ("utf-16", 3), ("utf-32", 2), (None, 3)])
def test_an_editor_says_what_it_counts(units: str | None, at: int) -> None:
    assert Ruler(Text("f", "é💡x"), units).place(Place("f", 1, 3)).start.character == at
