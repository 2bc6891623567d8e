"""A line that goes on behind a backslash may be appended in two steps."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import How
from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import load, verdict, write

FIRST, SECOND = "options nvidia \\", "  NVreg_RestrictProfilingToAdminUsers=0"


@pytest.mark.parametrize(("first", "expected"), [(FIRST, "pass"), ("options nvidia", "fail")])
def test_what_is_appended_goes_on(first: str, expected: str) -> None:
    steps = [write(1, first, how=How.APPEND), write(2, SECOND, how=How.APPEND), load(3)]
    assert verdict(RULE, *steps) == expected
