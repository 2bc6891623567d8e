"""Divides long work among processes of our own, one a core, where each piece of it is done by itself.

A worker is a copy of this process: it has all that was read before, and hands back what it made, pickled. This process
does a part itself. Where there is one core, where a system has no such copies, where threads run (a copy has none of
them, and may wait for one for ever), and where the process is somebody else's, it does all of it. So it does what a
worker could not: whatever is wrong there happens here, and is told as it always is. A worker that was killed ends the
run: what it did was too much for this machine, and would be so here.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from nodeworthy import backstop, interrupts
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass, field

T = TypeVar("T")
R = TypeVar("R")

# Each holds a part of what is looked at: four of them in memory are enough.
MOST = 4
# What lies together has as much in common as it has to read: it is dealt out in so many parts for each worker.
_PARTS_A_WORKER = 8
# "200000 100000" where a container may use two cores, "max 100000" where nobody says.
_QUOTA = "/sys/fs/cgroup/cpu.max"


def cores() -> int:
    """How many processes may work at the same time."""
    threading = sys.modules.get("threading")
    if sys.platform != "linux" or not interrupts.is_ours() or (threading and threading.active_count() > 1):
        return 1
    return max(1, min(MOST, len(os.sched_getaffinity(0)), _by_quota()))


def _by_quota() -> int:
    try:
        with open(_QUOTA, encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel's
            most, period = file.read().split()
        return int(most) // int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return MOST


def count_for(pieces: Sequence[object], least: int) -> int:
    """By how many processes these are done: each is worth its start for `least` pieces and more."""
    return max(1, min(cores(), len(pieces) // least))


def in_shares(work: Callable[[Sequence[T]], Sequence[R]], pieces: Sequence[T], least: int) -> list[R]:
    """What `work` makes of each piece, in their order. A worker is worth its start for `least` pieces and more. `work`
    may leave nothing behind but what it returns. Raises CouldNotLook where a worker was killed."""
    count = count_for(pieces, least)
    if count < 2:
        return list(work(pieces))
    part = -(-len(pieces) // (count * _PARTS_A_WORKER))
    turns = [range(len(pieces))[at : at + part] for at in range(0, len(pieces), part)]
    shares = [[at for turn in turns[first::count] for at in turn] for first in range(count)]
    made: dict[int, R] = {}
    for share, results in zip(shares, by_shares([[pieces[at] for at in each] for each in shares], work), strict=True):
        made |= zip(share, results, strict=True)
    return [made[at] for at in range(len(pieces))]


def by_shares(
    shares: Sequence[Sequence[T]],
    work: Callable[[Sequence[T]], Sequence[R]],
    there: Callable[[Sequence[T]], Sequence[R]] | None = None,
) -> list[Sequence[R]]:
    """What comes of each share. This process does the `work` of the first; workers do that of the others, or what
    they do `there` in its place. Raises CouldNotLook where a worker was killed."""
    return _Workers().do(shares, work, there or work)


@contextlib.contextmanager
def in_turns(work: Callable[[T], R], pieces: Sequence[T]) -> Iterator[Callable[[], list[R]]]:
    """Workers begin with the pieces at once, while this process does something else. When it asks for what came of
    each, in their order, it joins them: whoever is free takes the next. Raises CouldNotLook as `in_shares` does."""
    workers = _Workers()
    with _turns(len(pieces)) as turns, interrupts.tidied(workers.end):

        def some(_: Sequence[T]) -> list[tuple[int, R]]:
            return [(at, work(pieces[at])) for at in turns]

        started = [workers.start(some, ()) for _ in range(count_for(pieces, 1) - 1)]

        def all_of_them() -> list[R]:
            made = dict(some(()))
            for worker in started:
                made |= (workers.told(worker) if worker is not None else None) or ()
            return [made[at] if at in made else work(pieces[at]) for at in range(len(pieces))]

        yield all_of_them


@contextlib.contextmanager
def _turns(count: int) -> Iterator[Iterable[int]]:
    """Numbers of which each is taken once, by whichever process reads it out of the pipe in which they lie."""
    takes, gives = os.pipe()
    try:
        # So few that the pipe holds them all, and one byte is a number.
        os.write(gives, bytes(range(count)))
    finally:
        os.close(gives)
    try:
        yield (turn[0] for turn in iter(lambda: os.read(takes, 1), b""))
    finally:
        os.close(takes)


@dataclass
class _Workers:
    # The end of the pipe at which each is heard, by its number.
    _heard: dict[int, int] = field(default_factory=dict)

    def do(
        self,
        shares: Sequence[Sequence[T]],
        work: Callable[[Sequence[T]], Sequence[R]],
        there: Callable[[Sequence[T]], Sequence[R]],
    ) -> list[Sequence[R]]:
        with interrupts.tidied(self.end):
            workers = [self.start(there, each) for each in shares[1:]]
            made = [work(shares[0])]
            for worker, share in zip(workers, shares[1:], strict=True):
                told = self.told(worker) if worker is not None else None
                made.append(told if told is not None else work(share))
        return made

    def start(self, work: Callable[[Sequence[T]], Sequence[R]], share: Sequence[T]) -> int | None:
        """None where there may be no more processes."""
        for each in (sys.stdout, sys.stderr):
            each.flush()
        heard, says = os.pipe()
        with interrupts.hold():
            try:
                worker = os.fork()
            except OSError:
                os.close(heard)
                os.close(says)
                return None
            if not worker:
                interrupts.begin_anew()
                os.close(heard)
                _work_and_leave(work, share, says)
            self._heard[worker] = heard
        os.close(says)
        return worker

    def told(self, worker: int) -> Sequence[Any] | None:
        """What it made; None where it could not."""
        import pickle

        results: list[Any] | None = None
        # What it hands back is made as it comes, each by itself: nobody holds the text of it, too.
        with (
            open(self._heard[worker], "rb", closefd=False) as pipe,
            contextlib.suppress(EOFError, pickle.UnpicklingError),
        ):
            count, stops = pickle.load(pipe)  # noqa: S301 - a copy of ours writes it
            results = [pickle.load(pipe) for _ in range(count)]  # noqa: S301
        status = self._wait(worker)
        if os.WIFSIGNALED(status):
            ended = signal.Signals(os.WTERMSIG(status)).name
            raise CouldNotLook(
                f"a process that did a part of the work was killed ({ended}), so nothing is proven: where memory is "
                "short, `taskset -c 0 nodeworthy …` does all of it in one process"
            )
        if status or results is None:
            return None
        backstop.note_stops(stops)
        return results

    def _wait(self, worker: int) -> int:
        with interrupts.hold():
            status = os.waitpid(worker, 0)[1]
            os.close(self._heard.pop(worker))
        return status

    def end(self) -> None:
        for each in list(self._heard):
            os.kill(each, signal.SIGKILL)
            self._wait(each)


def _work_and_leave(work: Callable[[Sequence[T]], Sequence[R]], share: Sequence[T], says: int) -> None:
    """Ends the process, and nothing of what its parent has to do at its own end is done."""
    code = 1
    try:
        import pickle

        gc.freeze()
        backstop.begin_anew()
        before = backstop.count_stops()
        results = work(share)
        with open(says, "wb") as pipe:
            for each in ((len(results), backstop.count_stops() - before), *results):
                pickle.dump(each, pipe, pickle.HIGHEST_PROTOCOL)
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    finally:
        os._exit(code)
