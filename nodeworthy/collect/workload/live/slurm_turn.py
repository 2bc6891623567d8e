"""Turns on Slurm: two runs with one scratch folder refuse each other by a file that is touched while one lasts; what a
killed run has left is removed by the next."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from nodeworthy.collect.in_cluster.cluster import NotDone
from nodeworthy.collect.workload.live.slurm_clients import ask, queue_records
from nodeworthy.collect.workload.live.turn import LASTS_SECONDS, RENEWED_SECONDS
from nodeworthy.collect.workload.slurm import WATCHED
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_OF_A_RUN = pattern(rf"{WATCHED}([0-9a-f]{{8}})-.*")
_TURN = "turn"
_LONGEST = 300
# What scancel complains of where there is nothing to cancel any more.
_OVER = ("already completing", "already completed", "Invalid job id")


@dataclass
class SlurmTurn:
    """The file of one run."""

    scratch: Path
    run: str
    renewed: float = field(default=0.0, init=False)
    lost: str = field(default="", init=False)

    @property
    def file(self) -> Path:
        return self.scratch / f"{WATCHED}{self.run}-{_TURN}"

    def take(self) -> None:
        """Raises CouldNotLook where another run lasts; of two that begin at once none does."""
        try:
            with self.file.open("x", encoding="utf-8") as file:
                file.write(f"{getpass.getuser()} {socket.gethostname()} {os.getpid()}\n")
        except OSError as problem:
            raise NotDone(f"--scratch {self.scratch} is not to be written: {problem.strerror}") from None
        for other in self._others():
            if self._is_alive(other):
                self.leave()
                who = _holder_of(other)
                raise NotDone(
                    f"another run of accept is under way with {self.scratch}, by {who}: nothing was begun "
                    f"(if it is dead, wait {LASTS_SECONDS} s, or remove {other})"
                )

    def _others(self) -> list[Path]:
        found = self.scratch.glob(f"{WATCHED}*-{_TURN}")
        return [each for each in found if each != self.file]

    def _is_alive(self, other: Path) -> bool:
        """Whether the other run still lasts, by the clock of the folder; where it died on this machine, that is known
        at once."""
        try:
            age = self.file.stat().st_mtime - other.stat().st_mtime
        except OSError:
            return False
        words = _holder_of(other).split()
        is_here = len(words) == 3 and words[1] == socket.gethostname() and words[2].isdecimal()
        return age < LASTS_SECONDS and not (is_here and not _is_there(int(words[2])))

    def renew(self, now: float) -> None:
        if now - self.renewed < RENEWED_SECONDS:
            return
        self.renewed = now
        try:
            os.utime(self.file)
        except OSError as problem:
            self.lost = f"its turn is lost ({self.file}): {problem.strerror}"

    def leave(self) -> None:
        """Leaves with whatever this run wrote beside the file."""
        for each in self.scratch.glob(f"{WATCHED}{self.run}-*"):
            _remove(each)

    def left_behind(self) -> Iterator[str]:
        """What runs of this user made that nobody watches any more, removed. Raises CouldNotLook."""
        living = {self.run, *(_run_of(each.name) for each in self._others() if self._is_alive(each))}
        for job in queue_records("--me"):
            if job.state in ("PENDING", "RUNNING", "SUSPENDED") and _run_of(job.name) not in {"", *living}:
                cancel(job.id, job.name)
                yield f"job {job.id}"
        for file in self.scratch.glob(f"{WATCHED}*"):
            if _run_of(file.name) not in {"", *living} and _is_mine(file):
                _remove(file)
                yield str(file)


def _holder_of(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            return opened.read(_LONGEST).strip() or "somebody"
    except OSError:
        return "somebody"


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_mine(file: Path) -> bool:
    with suppress(OSError):
        return file.lstat().st_uid == os.getuid()
    return False


def _run_of(name: str) -> str:
    found = _OF_A_RUN.fullmatch(name)
    return found[1] if found is not None else ""


def _remove(file: Path) -> None:
    with suppress(OSError):
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file, ignore_errors=True)
        else:
            file.unlink()


def cancel(number: str, name: str) -> None:
    """Cancels by everything that identifies the job, for its id may be another's by now. The queue shows whether it is
    gone."""
    try:
        ask("scancel", f"--user={getpass.getuser()}", f"--name={name}", number)
    except NotDone as problem:
        if not any(each in str(problem) for each in _OVER):
            raise
