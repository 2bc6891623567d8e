"""How long and how much, as Prometheus writes it: `15d`, `2w`, `45GB` (which are powers of 1024 there)."""

from __future__ import annotations

from typing import Any

from nodeworthy.facts.pod.containers import NotAQuantity, quantity
from nodeworthy.known.monitoring import FITS
from nodeworthy.patterns import pattern

_SECONDS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_DURATION = pattern(r"(?:(\d+)(y|w|d|h|ms|m|s))")
_SIZE = pattern(r"(\d+(?:\.\d+)?|\.\d+)(?:([KMGTPE])i?)?B")
_POWERS = "KMGTPE"


def seconds(written: Any) -> float | None:
    """None for what is no duration."""
    if not isinstance(written, str) or not written or _DURATION.sub("", written):
        return None
    return sum(int(count) * _SECONDS[unit] for count, unit in _DURATION.findall(written))


def size(written: Any) -> float | None:
    """In bytes; None for what is no size."""
    found = _SIZE.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        return None
    number, unit = found.groups()
    return float(number) * (1024 ** (_POWERS.index(unit) + 1) if unit else 1)


def room_of(written: Any) -> int | None:
    """A volume's size in bytes; None for what is no size."""
    try:
        amount = quantity(written)
    except NotAQuantity:
        return None
    return int(amount) or None


def fitting(room: int) -> str:
    """The largest retentionSize that leaves room on such a volume."""
    return f"{int(room * FITS) >> 20}MB"
