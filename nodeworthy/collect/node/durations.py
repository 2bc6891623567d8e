"""How long something may take, as people write it (30, 30s, 2m), and how many at once."""

from __future__ import annotations

from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern

_WRITTEN = pattern(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>s|m|h)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}

_BY_WORDS = pattern(r"(?P<number>[0-9]{1,5}(?:\.[0-9]{1,3})?)\s*(?P<unit>[smh])[a-z.]*")

_LONGEST = 7 * 24 * 3600


def seconds(text: str) -> float:
    found = _WRITTEN.fullmatch(text.strip())
    value = float(found["number"]) * _SECONDS[found["unit"]] if found else 0.0
    if not 0 < value <= _LONGEST:
        raise InputError(f"{text!r} is no time: write it as {_in_units(text)}")
    return value


def _in_units(text: str) -> str:
    """The duration as its writer may have meant it: `10 min`, `10minutes`, `ten`."""
    found = _BY_WORDS.fullmatch(text.strip().lower())
    return f"{found['number']}{found['unit']}" if found and float(found["number"]) else "30s or 2m"


def count(text: str) -> int:
    if not text.isdecimal() or len(text) > 6 or int(text) < 1:
        raise InputError(f"{text!r} is no number of hosts that can be asked at once")
    return int(text)
