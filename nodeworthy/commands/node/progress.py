"""What is told while hosts are asked and waited for: a table or a line in a terminal, a line now and then
elsewhere."""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from nodeworthy.commands.node.table import Table
from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.collect.node.asked import Asked
    from nodeworthy.collect.node.specs import Spec
    from nodeworthy.collect.node.waiting import Progress
    from nodeworthy.commands.node.options import Options
    from nodeworthy.report.report import Report

SPARSE_SECONDS = 15.0
Judged = Callable[["Asked"], "Report"]


# While a table is drawn, what is told meanwhile stands above it.
_TABLES: list[Table] = []


def asked(options: Options, specs: Sequence[Spec], judged: Judged | None = None) -> Progress | None:
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
    """What is written from now on stands below the table."""
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
        """It says no times."""

    def asked(self, asked: Asked, name: str) -> None:  # noqa: ARG002 - as the table has it
        self._done += 1
        _change(f"{self._done} of {self._of} hosts asked, the last: {name}", last=self._done == self._of)


class Sparse:
    """For logs: at the beginning and the end of waiting, and now and then when something has changed."""

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

    def asked(self, asked: Asked, name: str) -> None:  # noqa: ARG002 - as the table has it
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
