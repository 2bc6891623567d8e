"""The hosts that are being checked, a row each, in a terminal: drawn anew as they answer."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import Paint

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import Asked

AT_MOST_EVERY = 0.1
ASKING = "asking"
_LEAST = 12
# In the order in which one wants to see them, and how they are painted.
_COUNTED = {"fail": "fail", "error": "error", "unknown": "unknown", "pass": "pass"}

# What a look says of a host: how many verdicts of each kind.
Count = Callable[["Asked"], Mapping[str, int]]


class Table:
    def __init__(self, count: Count, *, colour: bool) -> None:
        self._count = count
        self._paint = Paint(colour)
        self._rows: dict[str, Mapping[str, int] | str] = {}
        self._drawn = 0
        self._when = 0.0
        self._lock = threading.RLock()

    def begin(self, names: Sequence[str]) -> None:
        self._rows = dict.fromkeys(names, ASKING)
        self._draw()

    def asked(self, asked: Asked, name: str) -> None:
        """`name` is that of its row: a host may call itself otherwise."""
        self._rows[name] = _why_unseen(asked) or self._count(asked)
        if ASKING not in self._rows.values() or time.monotonic() - self._when >= AT_MOST_EVERY:
            self._draw()

    def above(self, line: str) -> None:
        """Something that is told meanwhile, and stays."""
        with self._lock:
            self._clear()
            print(on_one_line(line), file=sys.stderr, flush=True)
            self._draw()

    def _clear(self) -> None:
        if self._drawn:
            print(f"\033[{self._drawn}A\r\033[J", end="", file=sys.stderr, flush=True)
        self._drawn = 0

    def _draw(self) -> None:
        with self._lock:
            size = shutil.get_terminal_size()
            lines = self._lines(max(size.columns - 1, 1), max(size.lines - 2, 1))
            self._clear()
            print("\n".join(lines), file=sys.stderr, flush=True)
            self._drawn, self._when = len(lines), time.monotonic()

    def _lines(self, width: int, height: int) -> list[str]:
        shown = self._shown(height - 1)
        names = min(max(map(len, shown), default=0), max(_LEAST, width // 2), width)
        return [*(self._row(each, names, width) for each in shown), self._sum(width)]

    def _shown(self, room: int) -> list[str]:
        """Where not all have room: first whoever is not well, then whoever is asked still."""
        first = sorted(self._rows, key=lambda each: _order(self._rows[each]))[: max(room, 0)]
        return [each for each in self._rows if each in set(first)]

    def _row(self, name: str, names: int, width: int) -> str:
        shown = on_one_line(name)
        shown = f"{shown[: names - 1]}…" if len(shown) > names else shown.ljust(names)
        said = self._rows[name]
        room = width - names - 2
        if room < _LEAST:
            return shown
        if isinstance(said, str):
            text = on_one_line(said)[:room]
            return f"{shown}  {self._paint('dim' if said == ASKING else 'error', text)}"
        return f"{shown}  {self._counts(said, room)}"

    def _counts(self, said: Mapping[str, int], room: int) -> str:
        told = [(style, f"{said[kind]} {kind}") for kind, style in _COUNTED.items() if said.get(kind)]
        kept: list[str] = []
        for style, text in told or [("dim", "nothing was judged")]:
            if len(text) > room:
                break
            room -= len(text) + 2
            kept.append(self._paint(style, text))
        return ", ".join(kept)

    def _sum(self, width: int) -> str:
        done = [each for each in self._rows.values() if each != ASKING]
        unwell = sum(_order(each) == 0 for each in done)
        text = f"{len(done)} of {len(self._rows)} hosts asked, {unwell} of them not well"
        return text[:width]


def _order(said: Mapping[str, int] | str) -> int:
    if said == ASKING:
        return 1
    return 0 if isinstance(said, str) or any(said.get(each) for each in ("fail", "error", "unknown")) else 2


def _why_unseen(asked: Asked) -> str:
    if asked.recording is None:
        return f"can't be replayed: {asked.why}"
    return f"not reached: {asked.recording.unreached}" if asked.recording.unreached is not None else ""
