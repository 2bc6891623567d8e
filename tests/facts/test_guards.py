"""Which conditions of a step count."""

from __future__ import annotations

import pytest

from nodeworthy.facts.boot.guards import but_its_own
from tests.boot.rules.boots import given, write


@pytest.mark.parametrize(
    ("asked", "counts"),
    [
        ("/etc/modprobe.d/gpu.conf", False),
        ("/etc/modprobe.d/*.conf", False),
        ("/etc/modprobe.d/*.disabled", True),
        ("/etc/*.conf", True),
        ("/etc/modprobe.d/other.conf", True),
    ],
)
def test_a_step_asks_for_its_own_file(asked: str, counts: bool) -> None:
    guard = given("grep -q option", "no", files=(asked,))
    step = write(4, "options nvidia", path="/etc/modprobe.d/gpu.conf", conditions=guard)
    assert but_its_own(step) == (guard if counts else ())
