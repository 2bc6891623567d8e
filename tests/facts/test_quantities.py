"""Quantities are read as the API server reads them."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeworthy.facts.pod.containers import NotAQuantity, quantity, whole

AMOUNTS = [
    (1, 1),
    ("1", 1),
    ("1000m", 1),
    ("500m", Fraction(1, 2)),
    (0.5, Fraction(1, 2)),
    (1.0, 1),
    ("1e3", 1000),
    ("1E", 10**18),
    ("2Ki", 2048),
    ("1.5Gi", 3 << 29),
    ("100n", Fraction(1, 10**7)),
    ("+3", 3),
    ("-1", -1),
    (".5", Fraction(1, 2)),
    ("5.", 5),
    (None, 0),
]
NONE_OF_THEM = ["", "one", "1 ", "1GB", "1ki", "0x10", "1,5", "--1", "1e", "m", "1mm", True, [1], {"a": 1}, "9" * 100]


@pytest.mark.parametrize(("written", "amount"), AMOUNTS)
def test_what_a_quantity_stands_for(written: Any, amount: Any) -> None:
    assert quantity(written) == amount


@pytest.mark.parametrize("written", NONE_OF_THEM)
def test_what_is_no_quantity(written: Any) -> None:
    with pytest.raises(NotAQuantity, match="is no quantity"):
        quantity(written)


@pytest.mark.parametrize(("written", "why"), [("500m", "no whole"), (1.5, "no whole"), (-1, "negative"), ("x", "no q")])
def test_what_is_no_count(written: Any, why: str) -> None:
    with pytest.raises(NotAQuantity, match=why):
        whole(written)


@given(st.integers(min_value=0, max_value=10**9))
def test_a_count_is_itself_however_it_is_written(count: int) -> None:
    assert whole(count) == whole(str(count)) == whole(f"{count}000m") == whole(f"{count}e0") == count


@given(st.text())
def test_any_text_is_a_quantity_or_none(text: str) -> None:
    with contextlib.suppress(NotAQuantity):
        quantity(text)
