"""How two boot scripts differ, in words."""

from __future__ import annotations

import pytest

from nodeworthy.facts.aws.script_changes import Change, first_change


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "a\n", Change("none", "one")),
        ("a\n", " \n", Change("one", "none")),
        ("a\nb\n", "a\n\nb\n", Change("it differs in its blanks alone", "as the template has it")),
        ("a\n", "a\nb\n", Change("line 2 is missing: b", "line 2: b")),
        ("a\nb\n", "a\n", Change("line 2 is there: b", "no line 2: b")),
        ("a\n", "b\n", Change("line 1 is missing: b, and 1 more line differs", "line 1: b")),
        ("a\n", "b\nc\n", Change("line 1 is missing: b, and 2 more lines differ", "line 1: b")),
        ("a\n", f"a\n{'x' * 120}\n", Change(f"line 2 is missing: {'x' * 120}", f"line 2: {'x' * 120}")),
        ("a\n", f"a\n{'x' * 121}\n", Change(f"line 2 is missing: {'x' * 120}…", f"line 2: {'x' * 120}…")),
    ],
)
def test_the_first_line_that_differs(old: str, new: str, told: Change) -> None:
    assert first_change(old, new) == told
