"""What is compiled late is still tried here: each pattern of each module."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from timeit import timeit

import pytest

import nodeworthy
from nodeworthy.patterns import NotYet, pattern
from tests.fuzz.patterns import attacks


def test_it_is_a_pattern() -> None:
    digits = pattern("(?P<all>[a-z]+)", re.IGNORECASE)
    found = digits.fullmatch("AbC")
    assert found is not None
    assert found["all"] == "AbC"
    assert digits.fullmatch("12") is None
    assert digits.sub("-", "a1b") == "-1-"
    assert pattern(b"a").search(b"bab") is not None


def test_a_broken_one_is_told_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error, match="unterminated subpattern"):
        broken.match("")


def test_every_pattern_of_ours_compiles() -> None:
    tried = 0
    for name in _modules():
        for called, value in vars(importlib.import_module(name)).items():
            if isinstance(value, NotYet):
                assert value.match is not None, f"{name}.{called}"
                tried += 1
    assert tried > 200


# Of a text that long, a search that is quadratic has done with in some milliseconds; one that is worse never has.
LENGTH, SECONDS = 800, 1.0


@pytest.mark.long
def test_no_pattern_of_ours_takes_long() -> None:
    for written, name in _written().items():
        text, flags = written
        # A pattern of bytes takes the same bytes as letters.
        shown = text.decode("latin-1") if isinstance(text, bytes) else text
        search = re.compile(shown, flags).search
        for attack in attacks(shown, flags, LENGTH):
            began = time.process_time()
            search(attack)
            assert time.process_time() - began < SECONDS, (name, attack[:80])


@pytest.mark.parametrize("careless", [r"(?:if|\[+)*\s*grep", r"(?:a|a)*b"])
def test_one_that_would_take_long_is_attacked(careless: str) -> None:
    """What repeats a repetition takes twice as long for each letter more."""

    def longest(length: int) -> float:
        return max(timeit(partial(re.search, careless, each), number=1) for each in attacks(careless, 0, length))

    assert longest(20) > 4 * longest(16)


def _written() -> dict[tuple[str | bytes, int], str]:
    found: dict[tuple[str | bytes, int], str] = {}
    for name in _modules():
        for called, value in vars(importlib.import_module(name)).items():
            if isinstance(value, NotYet):
                found[value._written] = f"{name}.{called}"
    return found


def _modules() -> Iterator[str]:
    house = Path(nodeworthy.__file__).parent
    for file in house.rglob("*.py"):
        if "import pattern\n" in file.read_text(encoding="utf-8"):
            yield ".".join(["nodeworthy", *file.relative_to(house).with_suffix("").parts]).removesuffix(".__init__")
