"""What is compiled late is still tried here: each pattern of each module."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nodeworthy
from nodeworthy.patterns import NotYet, pattern


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


def _modules() -> Iterator[str]:
    house = Path(nodeworthy.__file__).parent
    for file in house.rglob("*.py"):
        if "import pattern\n" in file.read_text(encoding="utf-8"):
            yield ".".join(["nodeworthy", *file.relative_to(house).with_suffix("").parts]).removesuffix(".__init__")
