"""Where many parameters prove one thing, some of them do by day, others the day after, and all of them by night.

Whose turn it is goes by the date, so that none comes again before all the others have. What failed on another day does so
again with NODEWORTHY_DAY=2026-11-28; how many of how many came is told at the end of a run.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import pytest

SEED = 20261128
DAY = "NODEWORTHY_DAY"
# Of many tests that take long, one in so many comes by day.
ONE_IN = {"tests/test_cases.py::test_case[": 4, "tests/test_turned_cases.py::": 4}


def today() -> str:
    return os.environ.get(DAY) or date.today().isoformat()


def turn(size: int, count: int) -> set[int]:
    """Which of so many it is today."""
    order = random.Random(SEED).sample(range(size), size)
    first = date.fromisoformat(today()).toordinal() * count
    return {order[(first + at) % size] for at in range(min(count, size))}


def some(every: Sequence[Any], count: int, name: Callable[[Any], str] = str) -> list[Any]:
    """`count` of them by day, the others by night. A tuple is one test's several arguments."""
    chosen = turn(len(every), count)
    return [_parameter(each, name(each), at in chosen) for at, each in enumerate(every)]


def _parameter(each: Any, name: str, by_day: bool) -> Any:
    arguments = each if isinstance(each, tuple) else (each,)
    return pytest.param(*arguments, id=name, marks=_marks(by_day))


def _marks(by_day: bool) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.drawn,) if by_day else (pytest.mark.drawn, pytest.mark.night)


def draw(long: Sequence[pytest.Item]) -> None:
    """Of the tests that take long, those of large families take turns."""
    for family, parts in ONE_IN.items():
        members = [each for each in long if each.nodeid.startswith(family)]
        chosen = turn(len(members), -(-len(members) // parts))
        for at, each in enumerate(members):
            for mark in _marks(at in chosen):
                each.add_marker(mark)


class Drawn:
    """Tells how many of how many came. One of several workers tells it to the one that sums up: all collect the same."""

    def __init__(self) -> None:
        self.came: Counter[str] = Counter()
        self.all: Counter[str] = Counter()

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.all.update(_drawn(items))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.came.update(_drawn(session.items))
        self.all.update(self.came)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["drawn"] = (dict(self.came), dict(self.all))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.came, self.all = map(Counter, getattr(node, "workeroutput", {}).get("drawn", (self.came, self.all)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.came:
            terminalreporter.section(f"drawn by {DAY}={today()}")
            for file, came in sorted(self.came.items()):
                terminalreporter.line(f"{came} of {self.all[file]} of {file}")


def _drawn(items: Sequence[pytest.Item]) -> Iterator[str]:
    return (item.nodeid.partition("::")[0] for item in items if item.get_closest_marker("drawn"))
