"""Lists as Slurm writes them: `gpu[01-04,07]` are nodes, `/dev/nvidia[0-3]` are files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nodeworthy.patterns import pattern

# Nobody has more nodes; a list that says so is a slip.
_MOST = 65536
_PARTS = pattern(r"(?:[^,\[\]]|\[[^\]]*\]|[\[\]])+")
_BRACKETS = pattern(r"([^\[\]]*)\[([\d,-]+)\](.*)", re.DOTALL)


def names_of(text: str) -> list[str] | None:
    """All names of a host list; None if they can't be told."""
    found: list[str] = []
    for part in _PARTS.findall(text):
        for name in _spread(part):
            if name is None or len(found) >= _MOST:
                return None
            found.append(name)
    return found


def _spread(part: str) -> Iterator[str | None]:
    matched = _BRACKETS.fullmatch(part)
    if matched is None:
        yield None if "[" in part or "]" in part else part
        return
    before, inside, behind = matched.groups()
    for number in _numbers(inside):
        if number is None:
            yield None
            return
        for rest in _spread(behind):
            yield f"{before}{number}{rest}" if rest is not None else None


def _numbers(inside: str) -> Iterator[str | None]:
    for each in inside.split(","):
        first, dash, last = each.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) - int(first) > _MOST:
            yield None
            return
        for number in range(int(first), int(last or first) + 1):
            yield str(number).zfill(len(first))
