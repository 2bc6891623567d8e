"""Times, memory and counts as Slurm spells them."""

from __future__ import annotations

import re

from nodeworthy.patterns import pattern

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_ALONE = {1: (_MINUTE,), 2: (_MINUTE, 1), 3: (_HOUR, _MINUTE, 1)}
_MEMORY = pattern(r"(\d+)([KMGT])?B?", re.IGNORECASE)
_UNITS = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}
ENDLESS = ("infinite", "unlimited", "0", "-1")


def seconds(text: str) -> int | None:
    """`minutes`, `m:s`, `h:m:s`, `days-h`, `days-h:m`, `days-h:m:s`; None where it is none of them."""
    days, dash, rest = text.strip().partition("-")
    if not dash:
        days, rest = "0", text.strip()
    parts = rest.split(":")
    if not days.isdigit() or not all(part.isdigit() for part in parts) or len(parts) > 3:
        return None
    numbers = [int(part) for part in parts]
    # A number alone is minutes, one behind days is hours.
    weights = _ALONE[len(numbers)] if not dash else _ALONE[3]
    return int(days) * _DAY + sum(number * weight for number, weight in zip(numbers, weights, strict=False))


def megabytes(text: str) -> int | None:
    """Without a unit Slurm counts megabytes."""
    found = _MEMORY.fullmatch(text.strip())
    return int(int(found[1]) * _UNITS[(found[2] or "M").upper()]) if found else None


def least(text: str) -> int | None:
    """The smallest number of `4`, `2-4`, `1k`."""
    found = re.fullmatch(r"(\d+)(k)?(?:-\d+k?)?(?::\d+)?", text.strip())
    return int(found[1]) * (1024 if found[2] else 1) if found else None


def told(duration: int) -> str:
    """A duration for a reader."""
    if duration % _HOUR == 0 and duration:
        return f"{duration // _HOUR} h"
    return f"{duration // _MINUTE} min" if duration % _MINUTE == 0 and duration > _MINUTE else f"{duration} s"
