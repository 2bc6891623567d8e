"""What is compiled late is still tried here: each pattern of each module."""

from __future__ import annotations

import importlib
import pkgutil
import re

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
    for module in pkgutil.walk_packages(nodeworthy.__path__, "nodeworthy."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, NotYet):
                assert value.match is not None, f"{module.name}.{name}"
                tried += 1
    assert tried > 200
