"""A mutant against its tests, in a process of its own that was forked warm: pytest is there, and nothing of ours."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import TYPE_CHECKING

from tests.mutants.drawn import ROOT, Mutant

if TYPE_CHECKING:
    import pytest

    from tests.mutants.reached import Reach

MOST_BYTES = 4 << 30
# What a test may take of what the map says of it, which was measured while every call was traced, and what is added: on a
# busy machine, and with the imports. What takes longer does not end.
SLOWER, START_SECONDS = 3, 40
# What no test that fails for what it looks at makes of pytest: a name that is none, no test at all.
_NO_SUCH_TEST, _NO_TESTS = 4, 5


@dataclass(frozen=True)
class Outcome:
    mutant: Mutant
    killed: bool
    # The test that noticed, or why none did.
    by: str
    seconds: float


class Instead(importlib.abc.MetaPathFinder):
    """Whoever imports one of these modules gets what is made of its file."""

    def __init__(self, is_meant: Callable[[str], bool], made: Callable[[str], str | ast.Module]) -> None:
        self.is_meant, self.made = is_meant, made

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not self.is_meant(fullname):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(self.made, fullname, spec.origin)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, made: Callable[[str], str | ast.Module], fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self.made = made

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.made(self.path), self.path, "exec", dont_inherit=True)


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class _FirstFailure:
    """A plugin of pytest."""

    by = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.by:
            self.by = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.by:
            self.by = f"{report.nodeid} can't be collected"


@dataclass(frozen=True)
class Trial:
    """What the child does, and where it says which test failed."""

    mutant: Mutant
    tests: Sequence[str]
    says: Path
    seconds: int

    def __call__(self) -> int:
        import pytest
        from _pytest.config import Config

        # pytest would read our modules by itself, as it does those of every plugin, and not ask whom we ask.
        Config._mark_plugins_for_rewrite = lambda *_: None  # type: ignore[method-assign]
        assert "nodeworthy" not in sys.modules, "what is imported already is no mutant"
        resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 5))
        mutant = module_of(self.mutant.path)
        sys.meta_path.insert(0, Instead(lambda name: name == mutant, lambda path: self.mutant.source))
        first = _FirstFailure()
        quiet = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--hypothesis-seed=0"]
        code = pytest.main([*quiet, *self.tests], plugins=[first])
        self.says.write_text(first.by or f"pytest ends with {int(code)}", encoding="utf-8")
        return int(code)


def tried(mutants: Sequence[tuple[Mutant, Sequence[Reach]]], jobs: int) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as folder:
        trials = [_trial(mutant, tests, Path(folder) / str(at)) for at, (mutant, tests) in enumerate(mutants)]
        for trial in trials:
            if not trial.tests:
                yield Outcome(trial.mutant, killed=False, by="no test runs it", seconds=0)
        longest = max((each.seconds for each in trials), default=0)
        for ended in each_forked(jobs, [trial for trial in trials if trial.tests], SLOWER * longest):
            yield _outcome(trials, ended)


def _trial(mutant: Mutant, tests: Sequence[Reach], says: Path) -> Trial:
    seconds = START_SECONDS + SLOWER * sum(each.seconds for each in tests)
    return Trial(mutant, [each.test for each in tests], says, int(seconds))


def _outcome(trials: Sequence[Trial], ended: Ended) -> Outcome:
    trial = ended.of
    assert isinstance(trial, Trial)
    said = trial.says.read_text(encoding="utf-8") if trial.says.exists() else "it did not end"
    survived = ended.code in (0, _NO_SUCH_TEST, _NO_TESTS)
    by = said if not survived or ended.code else f"{len(trial.tests)} tests pass"
    return Outcome(trial.mutant, not survived, by, ended.seconds)


@dataclass(frozen=True)
class Ended:
    of: Callable[[], int]
    # As a shell has it: 128 and more by a signal.
    code: int
    seconds: float


def forked(jobs: int, works: Sequence[Callable[[], int]], seconds: float) -> list[Ended]:
    return list(each_forked(jobs, works, seconds))


def each_forked(jobs: int, works: Sequence[Callable[[], int]], seconds: float) -> Iterator[Ended]:
    """Each in a child of its own, so many at a time; what takes longer is ended with all that it started."""
    waiting, running = list(works), dict[int, tuple[Callable[[], int], float]]()

    def overdue(_: int, __: FrameType | None) -> None:
        for child, (_work, began) in running.items():
            if time.monotonic() - began > seconds:
                os.killpg(child, signal.SIGKILL)

    before = signal.signal(signal.SIGALRM, overdue)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                work = waiting.pop(0)
                running[_child(work)] = work, time.monotonic()
            child, status = os.wait()
            if child in running:
                work, began = running.pop(child)
                _end_group(child)
                code = os.waitstatus_to_exitcode(status)
                yield Ended(work, code if code >= 0 else 128 - code, time.monotonic() - began)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        for child in running:
            _end_group(child)


def _end_group(child: int) -> None:
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _child(work: Callable[[], int]) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        os.setpgid(0, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.chdir(ROOT)
        code = work()
    finally:
        os._exit(code)


def warm() -> None:
    """What every child imports, and none of it ours."""
    import _pytest.assertion
    import _pytest.fixtures
    import _pytest.python
    import hypothesis
    import jsonschema
    import pytest
    import yaml

    del _pytest, hypothesis, jsonschema, pytest, yaml
