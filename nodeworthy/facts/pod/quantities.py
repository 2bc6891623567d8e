"""Kubernetes quantities (`1`, `500m`, `16Gi`, `1e3`), parsed exactly: what the API server would make of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from nodeworthy.patterns import pattern

_FORM = pattern(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?")
_SUFFIXES: dict[str, Fraction] = {
    **{name: Fraction(1, 1000 ** (3 - power)) for power, name in enumerate(("n", "u", "m"))},
    **{name: Fraction(1000 ** (power + 1)) for power, name in enumerate("kMGTPE")},
    **{f"{name}i": Fraction(1024 ** (power + 1)) for power, name in enumerate("KMGTPE")},
}
# Far more digits than any amount has.
_LONGEST = 64


class NotAQuantity(Exception):
    """Why the API server refuses this as a quantity."""


def quantity(value: Any) -> Fraction:
    """The amount that a value of a document stands for; a number is one, and nothing at all is zero."""
    if value is None:
        return Fraction(0)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise NotAQuantity("is no quantity")
    written = repr(value) if isinstance(value, float) else str(value)
    found = _FORM.fullmatch(written) if len(written) <= _LONGEST else None
    if found is None:
        raise NotAQuantity("is no quantity")
    number, suffix, exponent = found.groups()
    amount = Fraction(number.rstrip("."))
    if suffix:
        return amount * _SUFFIXES[suffix]
    return amount * Fraction(10) ** int(exponent) if exponent else amount


def whole(value: Any) -> int:
    """A count, of GPUs say: whole and not negative, or why it is none."""
    amount = quantity(value)
    if amount.denominator != 1:
        raise NotAQuantity("is no whole number")
    if amount < 0:
        raise NotAQuantity("is negative")
    return int(amount)
