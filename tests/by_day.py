"""Where many parameters prove one thing, some of them do by day, drawn by a seed, and all of them by night."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

SEED = 20261128


def some(every: Sequence[Any], count: int, name: Callable[[Any], str] = str) -> list[Any]:
    """`count` of them by day, the others by night. A tuple is one test's several arguments."""
    chosen = {*random.Random(SEED).sample(range(len(every)), min(count, len(every)))}
    return [_parameter(each, name(each), at in chosen) for at, each in enumerate(every)]


def _parameter(each: Any, name: str, by_day: bool) -> Any:
    arguments = each if isinstance(each, tuple) else (each,)
    return pytest.param(*arguments, id=name, marks=() if by_day else pytest.mark.night)
