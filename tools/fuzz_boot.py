"""Damages user data for as long as it is told to, and reports what the readers crash or hang on.

python tools/fuzz_boot.py --minutes 10 [--seed N] [--keep FOLDER]
exit code 1 where something was found; each finding is kept as a file, with the seed that leads to it
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place
from tests.boot.mutations import corpus, mutated

LONGEST_S = 10


class Hangs(BaseException):
    """It took longer than any input may take. No reader's `except Exception` must swallow this."""


@dataclass
class Found:
    """What went wrong so far: of each kind the smallest user data that leads there."""

    keep: Path
    kinds: dict[str, bytes] = field(default_factory=dict)

    def add(self, problem: BaseException, data: bytes) -> None:
        kind = _kind(problem)
        if kind in self.kinds and len(self.kinds[kind]) <= len(data):
            return
        if kind not in self.kinds:
            print(f"\nFOUND {kind}")
            traceback.print_exception(problem, limit=-4)
        self.kinds[kind] = data
        self.keep.mkdir(parents=True, exist_ok=True)
        number = list(self.kinds).index(kind)
        (self.keep / f"{number:02}-{type(problem).__name__}").write_bytes(data)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz"))
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else time.time_ns() % 1_000_000
    print(f"seed {seed}, {options.minutes:g} minutes")
    signal.signal(signal.SIGALRM, _hangs)
    found, done, slowest = Found(options.keep), 0, 0.0
    for data in _for_minutes(options.minutes, random.Random(seed)):  # noqa: S311 - to be repeated, not to be guessed
        done += 1
        slowest = max(slowest, _read(data, found))
    print(f"\n{done} damaged user data read, the slowest in {slowest:.2f} s; {len(found.kinds)} kinds of findings")
    return 1 if found.kinds else 0


def _for_minutes(minutes: float, source: random.Random) -> Iterator[bytes]:
    whole = corpus()
    end = time.monotonic() + minutes * 60
    while time.monotonic() < end:
        yield mutated(source, whole)


def _read(data: bytes, found: Found) -> float:
    """How long it took, in seconds of this process: the machine may be busy."""
    started = time.process_time()
    try:
        with _limited():
            effects = timeline_of(unpack(data, Place("user-data"))).effects
            assert all(effect.place.path == "user-data" for effect in effects), "an effect without its place"
    except (Exception, Hangs) as problem:  # noqa: BLE001 - whatever it is, it is what we are looking for
        found.add(problem, data)
    return time.process_time() - started


@contextmanager
def _limited() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _hangs(_signal: int, _frame: FrameType | None) -> None:
    raise Hangs(f"longer than {LONGEST_S} s")


def _kind(problem: BaseException) -> str:
    frames = traceback.extract_tb(problem.__traceback__)
    ours = [frame for frame in frames if "/nodeworthy/" in frame.filename] or frames
    if isinstance(problem, (Hangs, RecursionError)):
        # Where it was when time was up is chance; which reader it was is not.
        return f"{type(problem).__name__} in {Path(ours[min(4, len(ours) - 1)].filename).name}"
    return f"{type(problem).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
