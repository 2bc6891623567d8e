"""What is told while hosts are asked and waited for: a table or a line in a terminal, a line now and then
elsewhere."""

from __future__ import annotations

import math
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from nodeworthy.records import dataclass
from nodeworthy.report.printable import on_one_line
from nodeworthy.report.text import Paint

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import AskedHost
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.collect.node.waiting import Progress
    from nodeworthy.commands.node.options import Options
    from nodeworthy.report.report import Report


# The hosts that are being checked, a row each, in a terminal: drawn anew as they boot and as they answer.

AT_MOST_EVERY = 0.1
_LEAST = 12
ASKING = "asking"
# In the order in which one wants to see them, and how they are painted.
_COUNTED = {"fail": "fail", "error": "error", "unknown": "unknown", "pass": "pass"}

# What a look says of a host: how many verdicts of each kind.
Count = Callable[["AskedHost"], Mapping[str, int]]


@dataclass(frozen=True)
class Row:
    """A host: asked, waited for, not seen, or judged."""

    # Why it is not ready yet.
    why: str = ""
    unseen: str = ""
    counts: Mapping[str, int] | None = None
    # How long it was waited for; None where nobody waits.
    after: float | None = None

    @property
    def is_done(self) -> bool:
        return bool(self.unseen) or self.counts is not None

    @property
    def order(self) -> int:
        """First whoever is not well, last whoever is."""
        if not self.is_done:
            return 1
        counts = self.counts or {}
        return 0 if self.unseen or any(counts.get(each) for each in ("fail", "error", "unknown")) else 2

    def told(self, room: int, paint: Paint, seconds: float) -> str:
        """The line in that many columns. `seconds` have gone by since the first host was asked."""
        when = self.after if self.is_done else seconds if self.why else None
        if when is None:
            return self._said(room, paint)
        time = f"{time_of(when):>7}"
        return f"{paint('dim', time)}  {self._said(max(room - len(time) - 2, 0), paint)}"

    def _said(self, room: int, paint: Paint) -> str:
        if self.counts is not None:
            return _counted(self.counts, room, paint)
        text = on_one_line(self.unseen or self.why or ASKING)[:room]
        return paint("error" if self.unseen else "dim", text)


class Table:
    def __init__(self, count: Count, *, colour: bool) -> None:
        self._count = count
        self._paint = Paint(colour)
        self._lock = threading.RLock()
        self._drawn = 0
        self.begin(())

    def begin(self, names: Sequence[str]) -> None:
        """Begins a table under the one that is there already, which stays."""
        self._rows = {each: Row() for each in names}
        self._began, self._left = time.monotonic(), -1.0
        self._drawn, self._when = 0, 0.0
        if names:
            self._draw()

    def waits(self, name: str, why: str, left: float) -> None:
        self._rows[name] = Row(why=why)
        self._left = left
        self._draw_at_times()

    def tick(self, left: float) -> None:
        if int(left) != int(self._left):
            self._left = left
            self._draw_at_times()

    def asked(self, asked: AskedHost, name: str) -> None:
        """`name` is that of its row: a host may call itself otherwise."""
        after = self._seconds if self._left >= 0 else None
        unseen = _why_unseen(asked)
        self._rows[name] = Row(unseen=unseen, after=after) if unseen else Row(counts=self._count(asked), after=after)
        if all(each.is_done for each in self._rows.values()):
            self._draw()
        else:
            self._draw_at_times()

    def above(self, line: str) -> None:
        """Prints a line above the table, where it stays."""
        with self._lock:
            self._clear()
            print(on_one_line(line), file=sys.stderr, flush=True)
            self._draw()

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._began

    def _clear(self) -> None:
        if self._drawn:
            print(f"\033[{self._drawn}A\r\033[J", end="", file=sys.stderr, flush=True)
        self._drawn = 0

    def _draw_at_times(self) -> None:
        if time.monotonic() - self._when >= AT_MOST_EVERY:
            self._draw()

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
        """Which hosts are shown where there is no room for all. Those that are not well come first, then those that are
        still being asked."""
        first = sorted(self._rows, key=lambda each: self._rows[each].order)[: max(room, 0)]
        return [each for each in self._rows if each in set(first)]

    def _row(self, name: str, names: int, width: int) -> str:
        shown = on_one_line(name)
        shown = f"{shown[: names - 1]}…" if len(shown) > names else shown.ljust(names)
        room = width - names - 2
        if room < _LEAST:
            return shown
        return f"{shown}  {self._rows[name].told(room, self._paint, self._seconds)}"

    def _sum(self, width: int) -> str:
        done = [each for each in self._rows.values() if each.is_done]
        unwell = sum(each.order == 0 for each in done)
        text = f"{len(done)} of {len(self._rows)} hosts asked, {unwell} of them not well"
        waiting = len(done) < len(self._rows) and self._left >= 0
        return f"{text}{f'; {time_of(self._left)} left' if waiting else ''}"[:width]


def _why_unseen(asked: AskedHost) -> str:
    if asked.recording is None:
        return f"can't be replayed: {asked.why}"
    return f"not reached: {asked.recording.unreached}" if asked.recording.unreached is not None else ""


def time_of(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m {rest:02}s" if minutes else f"{rest}s"


def _counted(counts: Mapping[str, int], room: int, paint: Paint) -> str:
    told = [(style, f"{counts[kind]} {kind}") for kind, style in _COUNTED.items() if counts.get(kind)]
    kept: list[str] = []
    for style, text in told or [("dim", "nothing was judged")]:
        if len(text) > room:
            break
        room -= len(text) + 2
        kept.append(paint(style, text))
    return ", ".join(kept)


SPARSE_SECONDS = 15.0
Judged = Callable[["AskedHost"], "Report"]


# While a table is drawn, what is told meanwhile stands above it.
_TABLES: list[Table] = []


def start_progress(options: Options, specs: Sequence[Spec], judged: Judged | None = None) -> Progress | None:
    """A table in a terminal; of recordings and of what is only printed, a line. Elsewhere boots that are waited for."""
    if options.quiet:
        return None
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return Sparse() if options.wait or options.reboot else None
    if judged is None or all(each.recording is not None for each in specs):
        return Line()
    colour = not options.no_color and not os.environ.get("NO_COLOR")
    table = Table(lambda each: judged(each).summary, colour=colour)
    _TABLES[:] = [table]
    return table


def tell(line: str) -> None:
    if _TABLES:
        _TABLES[0].above(line)
    else:
        print(on_one_line(line), file=sys.stderr, flush=True)


def leave() -> None:
    """Leaves the table as it stands; later output is printed below it."""
    _TABLES.clear()


class Line:
    """How many have been asked, and of one that is not ready, why."""

    def __init__(self) -> None:
        self._of = self._done = 0

    def begin(self, names: Sequence[str]) -> None:
        self._of, self._done = len(names), 0

    def waits(self, name: str, why: str, left: float) -> None:  # noqa: ARG002 - as the table has it
        _change(f"{self._done} of {self._of} hosts asked; {name}: {why}", last=False)

    def tick(self, left: float) -> None:
        """Does nothing: a line shows no times."""

    def asked(self, asked: AskedHost, name: str) -> None:  # noqa: ARG002 - as the table has it
        self._done += 1
        _change(f"{self._done} of {self._of} hosts asked, the last: {name}", last=self._done == self._of)


class Sparse:
    """Progress for logs: at the beginning and the end of waiting, and now and then when something has changed."""

    def __init__(self) -> None:
        self.begin(())

    def begin(self, names: Sequence[str]) -> None:
        self._of, self._done, self._is_waiting = len(names), 0, False
        self._late: dict[str, str] = {}
        self._over: set[str] = set()
        self._said, self._when = "", -math.inf

    def waits(self, name: str, why: str, left: float) -> None:
        self._late[name] = why
        if left:
            self._tell(ends=False)
        else:
            self._over.add(name)

    def tick(self, left: float) -> None:  # noqa: ARG002 - a log has its own times
        self._is_waiting = True

    def asked(self, asked: AskedHost, name: str) -> None:  # noqa: ARG002 - as the table has it
        self._done += 1
        if name not in self._over:
            self._late.pop(name, None)
        if self._is_waiting:
            self._tell(ends=self._done == self._of)

    def _tell(self, *, ends: bool) -> None:
        name, why = next(iter(self._late.items()), ("", ""))
        state = f"{self._done - len(self._over)} of {self._of} hosts have booted" + (f"; {name}: {why}" if name else "")
        if state == self._said or not (ends or time.monotonic() - self._when >= SPARSE_SECONDS):
            return
        self._said, self._when = state, time.monotonic()
        print(on_one_line(state), file=sys.stderr, flush=True)


def _change(text: str, *, last: bool) -> None:
    shown = on_one_line(text)[: shutil.get_terminal_size().columns - 1]
    print(f"\r\033[K{shown}", end="\n" if last else "", file=sys.stderr, flush=True)
