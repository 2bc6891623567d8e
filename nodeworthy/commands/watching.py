"""`diagnose --watch`: looks again and again, and tells what changed. A server that is away is said, and waited for."""

from __future__ import annotations

import argparse
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy import interrupts
from nodeworthy.commands import judging
from nodeworthy.errors import Ends, InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.commands import diagnose
    from nodeworthy.commands.settled import Run
    from nodeworthy.report.incident_told import Incident
    from nodeworthy.report.report import Report
    from nodeworthy.report.watched import Standing

# Whoever could not look knows nothing.
_BLIND = 3


class Options:
    watch: bool
    every: int | None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="stay, and tell what changes, until Ctrl-C")
    parser.add_argument(
        "--every",
        metavar="SECONDS",
        type=seconds_to_wait,
        help="with --watch: how long after a look it looks again (15)",
    )


def seconds_to_wait(text: str) -> int:
    """The type of an option. Raises ArgumentTypeError."""
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 1 to 3600")
    return number


def check(options: diagnose.Options) -> None:
    """Raises InputError where options do not go together."""
    if options.every and not options.watch:
        raise InputError("--every is for --watch")
    if not options.watch:
        return
    given = {
        "--from": options.folder is not None,
        "--record": options.record,
        "--output": options.output,
        "--also": options.also,
        "--print-role": options.print_role,
        "--fix": options.fix,
        "--undo": options.undo,
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(f"{name} and --watch do not go together")
    if options.format not in ("text", "json", "brief"):
        raise InputError(f"--watch tells text, json or brief, and not {options.format}")


def run(options: diagnose.Options, run: Run, look: Callable[[], tuple[Report, str]]) -> int:
    """`look` gives the report, and what people read before it."""
    from nodeworthy.report.watched import Standing

    report, heading = look()
    watching = _Messages(options, run, Standing()) if options.format == "brief" else _Watching(options, run, Standing())
    try:
        watching.begin(report, heading)
        while True:
            time.sleep(options.every or 15)
            _stop_unheard()
            watching.look(look)
    except KeyboardInterrupt:
        if interrupts.signal_of_end() not in (None, signal.SIGINT):
            raise
        interrupts.forget()
        return watching.code


@dataclass
class _Watching:
    options: diagnose.Options
    run: Run
    standing: Standing
    code: int = _BLIND
    _blind: str = ""
    _blind_since: float = 0.0

    @property
    def _json(self) -> bool:
        return self.options.format == "json"

    def begin(self, report: Report, heading: str) -> None:
        from nodeworthy.report import watched

        self.standing.look(report.findings)
        if self._json:
            self._say(watched.line(report, _now()))
            self.code = self.run.exit_code(report)
        else:
            self.code = judging.deliver(self.options, self.run, report, heading)

    def look(self, look: Callable[[], tuple[Report, str]]) -> None:
        from nodeworthy.report import watched

        try:
            report, _ = look()
        except Ends as problem:
            self._blinded(str(problem))
            return
        if self._blind:
            told = watched.seeing_line if self._json else watched.seeing_text
            self._say_of_sight(told(time.monotonic() - self._blind_since, _now()))
            self._blind = ""
        self.code = self.run.exit_code(report)
        self._tell(report)

    def _tell(self, report: Report) -> None:
        from nodeworthy.report import watched

        changes = self.standing.look(report.findings)
        if changes:
            when = _now()
            asked = judging.asked_report(self.options, self.run)
            text = watched.line(report, when, changes) if self._json else watched.text(changes, report, when, asked)
            self._say(text)

    def _blinded(self, why: str) -> None:
        """Said once for each reason."""
        from nodeworthy.report import watched

        self.code = _BLIND
        if not self._blind:
            self._blind_since = time.monotonic()
        if why != self._blind:
            self._say_of_sight((watched.blind_line if self._json else watched.blind_text)(why, _now()))
        self._blind = why

    def _say(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def _say_of_sight(self, text: str) -> None:
        """Says that the server is away, and that it is back."""
        self._say(text)


class _Messages(_Watching):
    """The messages to people, each when it is due. What is only about the watching is not for them."""

    @cached_property
    def _incident(self) -> Incident:
        from nodeworthy.report.incident_told import Incident

        return Incident()

    def begin(self, report: Report, heading: str) -> None:  # noqa: ARG002 - that is for the terminal
        from nodeworthy.report.brief import render

        self.code = self.run.exit_code(report)
        self._say(self._incident.look(report, _now()) or f"{render(report)}\n\n")

    def _tell(self, report: Report) -> None:
        told = self._incident.look(report, _now())
        if told:
            self._say(told)

    def _say_of_sight(self, text: str) -> None:
        sys.stderr.write(text)


def _stop_unheard() -> None:
    """Where nothing changes nothing is written, and a closed pipe would never be noticed."""
    listeners = select.poll()
    with suppress(OSError, ValueError):  # no file at all: there is nobody to go away
        listeners.register(sys.stdout.fileno(), 0)
    if any(event & select.POLLERR for _, event in listeners.poll(0)):
        raise BrokenPipeError


def _now() -> datetime:
    return datetime.now(UTC)
