"""How much is done, counted: a clock would judge the machine and what else it does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def calls(work: Callable[[], object]) -> int:
    """The functions that are called meanwhile, Python's own written in C among them."""
    counted = 0

    def count(_frame: FrameType, event: str, _called: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted
