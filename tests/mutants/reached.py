"""Which tests run which functions: a map that is made once, and of which what is new is made anew."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from tests.mutants.drawn import ROOMS, ROOT, Mutant
from tests.mutants.trial import each_forked, forked

if TYPE_CHECKING:
    import pytest

# Where tests of rules and facts are. Others start programs, are about the repository itself, or about the interpreter.
ASKED = (
    *("tests/test_cases.py", "tests/cluster", "tests/engine", "tests/facts"),
    *("tests/node", "tests/plan", "tests/source", "tests/boot/rules", "tests/boot/rules2"),
)
PARTS = 32
# Of a test that runs longer, the map says nothing.
LONGEST_SECONDS = 300
_INNER = re.compile(r"(?:\.<locals>\.|^)<(?:lambda|listcomp|genexpr|dictcomp|setcomp)>.*$")


@dataclass(frozen=True)
class Reach:
    """A test, how long it took, and the functions that it ran, as `path:qualified name`."""

    test: str
    seconds: float
    functions: frozenset[str]


class Recorder:
    """A plugin of pytest that writes a line for each test that passed."""

    def __init__(self, into: Path, digests: Mapping[str, str]) -> None:
        self.into, self.digests = into, digests
        self.seen: dict[int, CodeType] = {}
        self.passed = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and report.passed

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        from _pytest.runner import runtestprotocol

        self.seen, self.passed, began = {}, True, time.perf_counter()
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            runtestprotocol(item, nextitem=nextitem)
        finally:
            sys.settrace(None)
            threading.settrace(None)
        if self.passed:
            self._write(item.nodeid, time.perf_counter() - began)
        return True

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        self.seen[id(frame.f_code)] = frame.f_code

    def _write(self, test: str, seconds: float) -> None:
        functions = sorted({name for code in self.seen.values() if (name := named(code)) is not None})
        line = {"test": test, "of": self.digests.get(of_file(test), ""), "seconds": seconds, "functions": functions}
        with self.into.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def named(code: CodeType) -> str | None:
    path = code.co_filename.removeprefix(f"{ROOT}/")
    if not path.startswith(ROOMS):
        return None
    return f"{path}:{_INNER.sub('', code.co_qualname)}"


def of_file(test: str) -> str:
    """What a test's line in the map belongs to: its file, and of a case the case."""
    return test if _is_case(test) else test.partition("::")[0]


@cache
def digests_now() -> Mapping[str, str]:
    """Of each file of tests, and of each case."""
    from nodeworthy.own_rules.cases import cases_in

    paths = (path for room in ASKED for path in (ROOT / room).rglob("test_*.py"))
    files = {path.relative_to(ROOT).as_posix(): _digest([path]) for path in paths}
    cases = {
        f"tests/test_cases.py::test_case[{case.id}]": _digest(
            sorted(each for folder in (*case.bases, case.folder) for each in folder.rglob("*") if each.is_file())
        )
        for case in cases_in(ROOT / "tests" / "cases")
    }
    return {**files, **cases}


def _digest(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def mapped(folder: Path, jobs: int) -> list[Reach]:
    """The map, with what is new run first; in a child, for whoever tries mutants has nothing of ours imported."""
    (ended,) = forked(1, [lambda: _complete(folder, jobs)], LONGEST_SECONDS * PARTS)
    if ended.code != 0:
        raise SystemExit(f"no map of the tests could be made: exit code {ended.code}")
    lines = (folder / "current.jsonl").read_text(encoding="utf-8").splitlines()
    return [Reach(told["test"], told["seconds"], frozenset(told["functions"])) for told in map(json.loads, lines)]


def _complete(folder: Path, jobs: int) -> int:
    file, digests = folder / "reached.jsonl", digests_now()
    asked, there = _asked(file), _lines(file, digests)
    # A case is one test: what is there of it is all, also where the rest of its part was not reached.
    cases = sorted(name for name in digests if _is_case(name) and name not in there)
    files = sorted(name for name, digest in digests.items() if not _is_case(name) and asked.get(name) != digest)
    parts = [part for new in (cases, files) for at in range(PARTS) if (part := new[at::PARTS])]
    for ended in each_forked(jobs, [Recording(file, part) for part in parts], LONGEST_SECONDS):
        if isinstance(ended.of, Recording) and ended.code == 0:
            with _beside(file).open("a", encoding="utf-8") as written:
                written.writelines(f"{name}\t{digests[name]}\n" for name in ended.of.names)
    with (folder / "current.jsonl").open("w", encoding="utf-8") as written:
        for line in _lines(file, digests).values():
            written.write(line + "\n")
    return 0


def _lines(file: Path, digests: Mapping[str, str]) -> dict[str, str]:
    """What the map says of tests that are as they were."""
    told = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    read = ((json.loads(line), line) for line in told if line.endswith("}"))
    return {each["test"]: line for each, line in read if each["of"] == digests.get(of_file(each["test"]))}


def _asked(file: Path) -> dict[str, str]:
    """Also files whose tests are all long, or fail: they are not asked again as long as they stay."""
    lines = _beside(file).read_text(encoding="utf-8").splitlines() if _beside(file).exists() else []
    return dict(line.rsplit("\t", 1) for line in lines)


def _is_case(name: str) -> bool:
    return name.startswith("tests/test_cases.py")


def _beside(file: Path) -> Path:
    return file.with_suffix(".asked")


@dataclass(frozen=True)
class Recording:
    file: Path
    names: Sequence[str]

    def __call__(self) -> int:
        import pytest

        # A case that previews a program is long, and no other test of its rule may be there.
        marked = "not night" if _is_case(self.names[0]) else "not long and not night"
        chosen = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", marked]
        pytest.main([*chosen, *self.names], plugins=[Recorder(self.file, digests_now())])
        return 0


class Reached:
    """The tests of a mutant: those that run its function, the ones that run little else first."""

    def __init__(self, tests: Iterable[Reach], seconds: float, most: int = 150) -> None:
        self.seconds, self.most = seconds, most
        self.of_function: dict[str, list[Reach]] = defaultdict(list)
        self.of_path: dict[str, dict[str, Reach]] = defaultdict(dict)
        for test in tests:
            for function in test.functions:
                self.of_function[function].append(test)
                self.of_path[function.partition(":")[0]][test.test] = test

    def tests(self, mutant: Mutant) -> list[str]:
        return list(self._within(self._sorted(mutant, self._running(mutant))))[: self.most]

    def _running(self, mutant: Mutant) -> Sequence[Reach]:
        running = self.of_function.get(f"{mutant.path}:{mutant.change.function}", [])
        if running or "." in mutant.change.function or self._is_function(mutant):
            return running
        # Outside of any function it is run by an import: whoever runs something of the module, or of those that take from it.
        own = self.of_path.get(mutant.path, {})
        takers = {name: test for path in importers(mutant.path) for name, test in self.of_path.get(path, {}).items()}
        return [*own.values(), *(test for name, test in takers.items() if name not in own)]

    def _is_function(self, mutant: Mutant) -> bool:
        first = mutant.change.function.partition(".")[0]
        body = ast.parse((ROOT / mutant.path).read_text(encoding="utf-8")).body
        return any(isinstance(each, ast.FunctionDef) and each.name == first for each in body)

    def _sorted(self, mutant: Mutant, tests: Iterable[Reach]) -> list[Reach]:
        """By the name of the module first, then what runs least beside it."""
        stem = Path(mutant.path).stem
        rule = f"[{stem.replace('_', '-')}/"
        return sorted(
            tests, key=lambda each: (rule not in each.test and f"test_{stem}" not in each.test, len(each.functions))
        )

    def _within(self, tests: Iterable[Reach]) -> Iterator[str]:
        left = self.seconds
        for each in tests:
            if each.seconds <= left:
                left -= each.seconds
                yield each.test


@cache
def importers(path: str) -> frozenset[str]:
    return frozenset(_imported_by().get(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."), ()))


@cache
def _imported_by() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found[node.module].add(path.relative_to(ROOT).as_posix())
    return found
