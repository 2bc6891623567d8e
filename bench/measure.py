"""One figure: how it is taken, what it may be, and what came of it."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

# The limits hold on a machine where a bare interpreter starts in this time; elsewhere they are scaled.
SCALE_MS = 10.0


class NotMeasured(Exception):
    """Why there is no figure. It is printed as such, and is no success."""


@dataclass(frozen=True)
class Measurement:
    name: str
    limit: float
    take: Callable[[], float]
    unit: str = "ms"
    # A figure that does not depend on the machine (a number of round trips, a ratio) is not scaled.
    scaled: bool = True
    # What it is to become, where that is less than what fails.
    wanted: float | None = None


@dataclass(frozen=True)
class Result:
    measurement: Measurement
    figure: float | None
    # What a bare interpreter computed until it had started, right before: how fast the machine was at that minute.
    interpreter_ms: float
    why_not: str | None = None

    @property
    def limit(self) -> float:
        measurement = self.measurement
        return measurement.limit * self.interpreter_ms / SCALE_MS if measurement.scaled else measurement.limit

    @property
    def verdict(self) -> str:
        if self.figure is None:
            return f"not measured: {self.why_not}"
        return "ok" if self.figure <= self.limit else "TOO SLOW"


def taken(measurement: Measurement) -> Result:
    interpreter = interpreter_ms(times=10)
    try:
        return Result(measurement, measurement.take(), interpreter)
    except NotMeasured as reason:
        return Result(measurement, None, interpreter, str(reason))


def interpreter_ms(times: int = 30) -> float:
    """What a bare interpreter computes until it has started, without what somebody has put into its site-packages: how
    busy the machine is, counts only in what is compared with it."""
    python = str(getattr(sys, "_base_executable", sys.executable))
    return _cpu_ms([python, "-I", "-S", "-c", "pass"], times=times)


def in_starts(*arguments: str, cwd: Path) -> float:
    """What it computes for what a bare interpreter computes until it has started."""
    return nodeworthy_cpu_ms(*arguments, cwd=cwd, times=20) / interpreter_ms()


def nodeworthy_ms(*arguments: str, cwd: Path, exits: Sequence[int] = (0,), times: int = 10) -> float:
    return run_ms([sys.executable, "-m", "nodeworthy", *arguments], cwd=cwd, exits=exits, times=times)


def nodeworthy_cpu_ms(*arguments: str, cwd: Path, exits: Sequence[int] = (0,), times: int = 3) -> float:
    """What it and its children compute, however busy the machine is."""

    return _cpu_ms([sys.executable, "-m", "nodeworthy", *arguments], cwd=cwd, exits=exits, times=times)


def nodeworthy_mb(*arguments: str, cwd: Path) -> float:
    """The most that one run holds at once."""
    # Not ru_maxrss: in that a process begins with what the one that started it holds, which is us.
    told = f"import sys; from nodeworthy.cli import main; main({[*arguments, '--quiet']!r}); "
    told += "held = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')]; "
    told += "print(held[0], file=sys.stderr)"
    ran = subprocess.run(
        [sys.executable, "-c", told], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    if ran.returncode:
        raise NotMeasured(f"exit code {ran.returncode}: {ran.stderr.strip()[-100:]}")
    return int(ran.stderr.split()[-1]) / 1024


def _cpu_ms(command: Sequence[str], *, cwd: Path | None = None, exits: Sequence[int] = (0,), times: int) -> float:
    def once() -> float:
        before = _cpu_of_children()
        _once(command, cwd, exits)
        return (_cpu_of_children() - before) * 1000

    return min(once() for _ in range(times))


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_ms(command: Sequence[str], *, cwd: Path | None = None, exits: Sequence[int] = (0,), times: int = 10) -> float:
    """The best of several runs: what it costs, without what else the machine was doing."""
    return min(_once(command, cwd, exits) for _ in range(times))


def _once(command: Sequence[str], cwd: Path | None, exits: Sequence[int]) -> float:
    start = time.perf_counter()
    told = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    elapsed = (time.perf_counter() - start) * 1000
    if told.returncode not in exits:
        last = (told.stderr or told.stdout).strip().splitlines()[-1:]
        raise NotMeasured(f"exit code {told.returncode}: {''.join(last)[:100]}")
    return elapsed
