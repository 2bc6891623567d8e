"""A sample of what `make fuzz` looks for, and that it finds what it looks for."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.fuzz import doors, running
from tests.fuzz.inputs import Input, made

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of a process are Linux's")
SECONDS, LEAST = 2, 3
CASE = Input({"values.yaml": b"a: 1\n"}, ("check", "."), "values.yaml")


def test_a_sample() -> None:
    """As many as there is time for, always the same ones first."""
    running.prepared()
    until, number = time.monotonic() + SECONDS, 0
    while number < LEAST or time.monotonic() < until:
        assert list(running.faults(number)) == []
        number += 1


def test_an_input_is_always_the_same_of_its_number() -> None:
    assert [made(number) for number in range(20)] == [made(number) for number in range(20)]


def _for_ever(_: Input) -> Iterator[str]:
    while True:
        yield from ()


def _grows(_: Input) -> Iterator[str]:
    yield str(len(bytearray(2 * running.BYTES)))


def _crashes(_: Input) -> Iterator[str]:
    yield str(1 // 0)


def _dies(_: Input) -> Iterator[str]:
    os.kill(os.getpid(), signal.SIGABRT)
    yield ""


def _obeyed(_: Input) -> Iterator[str]:
    yield from doors._said("text", "  ::stop-commands::x\nand\x1b[2J")


@pytest.mark.parametrize(
    ("door", "why"),
    [
        (_for_ever, "it takes more than 1 s"),
        (_grows, "it takes more than 1024 MiB"),
        (_crashes, "ZeroDivisionError"),
        (_dies, "it dies of SIGABRT"),
        (_obeyed, "a job's log obeys the report as text"),
    ],
)
def test_a_fault_is_found(
    door: Callable[[Input], Iterator[str]], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(doors.DOORS, "planted", door)
    monkeypatch.setattr(running, "SECONDS", 1)
    assert why in running._apart("planted", CASE, tmp_path)[0]
