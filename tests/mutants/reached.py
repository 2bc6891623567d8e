"""Which tests run which functions: a map that is made once, and of which what is new is made anew."""

from __future__ import annotations

import ast
import builtins
import hashlib
import importlib
import itertools
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mutants.drawn import ROOMS, ROOT, Mutant
from tests.mutants.marked import NAMES, NOTED, marked, marks_of
from tests.mutants.trial import Instead, each_forked, forked, module_of

if TYPE_CHECKING:
    import pytest

# Where tests of rules and facts are. Others start programs, are about the repository itself, or about the interpreter.
CASES, TURNED = "tests/test_cases.py", "tests/test_turned_cases.py"
ASKED = (
    *(CASES, TURNED, "tests/test_boundaries.py"),
    *("tests/cloud", "tests/cluster", "tests/engine", "tests/facts"),
    *("tests/node", "tests/plan", "tests/source", "tests/boot/rules", "tests/boot/rules2"),
    "tests/fleet/test_infer.py",
    *(f"tests/fleet/test_infer_{each}.py" for each in ("azure_and_google", "kinds", "scripts", "talos")),
    *(
        f"tests/accept/test_{each}.py"
        for each in ("baseline", "fleet_floors", "floors", "peers", "right", "slow_networks")
    ),
)
# Of these `make test` draws a part, and here all are asked.
WHOLE = ("tests/facts/test_read.py",)
# Some of them come in turns by day: what they prove is asked, and not what today's do.
ON_ANY_DAY = "not night or drawn"
# Each part imports what is probed and collects the cases anew; what it has written of a case is kept where it is ended.
PARTS = 8
# A case that runs a program takes a hundred times as long as others, so which functions those run is not asked: what the
# other tests of a mutant pass over is shown a few of its rule.
OF_PROGRAMS, PROGRAM_SECONDS = 3, 10
# How many of those that marked what is changed come before all others.
FEW = 8
# Of a test that runs longer, the map says nothing.
LONGEST_SECONDS = 1200


@dataclass(frozen=True)
class Reach:
    """A test, how long it took, and the functions that it ran, as `path:qualified name`, with what it marked in them."""

    test: str
    seconds: float
    functions: frozenset[str]
    marks: frozenset[str] = frozenset()


# What the functions that were run wrote, each its name, since somebody last cleared it.
RAN: set[str] = set()
_MODULES = tuple(module_of(room) for room in ROOMS)


class _Probed(ast.NodeTransformer):
    """Each function of a module says its name as soon as it runs."""

    def __init__(self, path: str) -> None:
        self.path, self.within = path, ""
        self.found: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node, f"{node.name}.")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.found.append(f"{self.path}:{self.within}{node.name}")
        said = ast.parse(f"__ran__({self.found[-1]!r})").body[0]
        first = 1 if ast.get_docstring(node) is not None else 0
        self._inside(node, f"{node.name}.<locals>.")
        node.body.insert(first, ast.fix_missing_locations(ast.copy_location(said, node.body[0])))
        return node

    def _inside(self, node: ast.AST, name: str) -> ast.AST:
        before, self.within = self.within, self.within + name
        self.generic_visit(node)
        self.within = before
        return node


def probed(path: str) -> ast.Module:
    name = Path(path).relative_to(ROOT).as_posix()
    tree, *_ = marked(name, Path(path).read_text(encoding="utf-8"))
    _Probed(name).visit(tree)
    return tree


def _probe() -> None:
    """Once, for all children: they would else each read the modules anew."""
    vars(builtins).update({"__ran__": RAN.add, **NAMES})
    assert not any(name.startswith(_MODULES) for name in sys.modules), "what is imported already says nothing"
    sys.meta_path.insert(0, Instead(lambda name: name.startswith(_MODULES), probed))
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            importlib.import_module(module_of(path.relative_to(ROOT).as_posix()))


def _forget() -> None:
    """Also what was kept for the next who asks: a test that is given it was not run by what made it."""
    RAN.clear()
    NOTED.marks.clear()
    for name in [name for name in sys.modules if name.startswith(_MODULES)]:
        for each in vars(sys.modules[name]).values():
            if clear := getattr(each, "cache_clear", None):
                clear()


class Recorder:
    """A plugin of pytest that writes a line for each test that passed."""

    def __init__(self, into: Path, digests: Mapping[str, str]) -> None:
        self.into, self.digests = into, digests
        self.passed = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and report.passed

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        from _pytest.runner import runtestprotocol

        _forget()
        self.passed, began = True, time.perf_counter()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=nextitem)
        if self.passed:
            self._write(item.nodeid, time.perf_counter() - began)
        return True

    def _write(self, test: str, seconds: float) -> None:
        of = self.digests.get(of_file(test), "")
        line = {"test": test, "of": of, "seconds": seconds, "functions": sorted(RAN), "marks": NOTED.taken()}
        with self.into.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def of_file(test: str) -> str:
    """What a test's line in the map belongs to: its file, and of a case, turned or not, the case."""
    return test if _is_case(test) else test.partition("::")[0]


@cache
def digests_now() -> Mapping[str, str]:
    """Of each file of tests, of each case, and of each that is turned: with the case, and not with those beside it."""
    from nodeworthy.own_rules.cases import cases_in

    rooms = [ROOT / room for room in ASKED if room not in (CASES, TURNED)]
    paths = [path for room in rooms for path in ([room] if room.is_file() else room.rglob("test_*.py"))]
    files = {path.relative_to(ROOT).as_posix(): _digest([path, *_read_by(path)]) for path in paths}
    cases = {
        case.id: _digest(
            sorted(each for folder in (*case.bases, case.folder) for each in folder.rglob("*") if each.is_file())
        )
        for case in cases_in(ROOT / "tests" / "cases")
    }
    return {
        **files,
        **{f"{CASES}::test_case[{name}]": digest for name, digest in cases.items()},
        **{f"{TURNED}::test_what_is_told_of_a_turned_case[{name}]": digest for name, digest in _turned(cases)},
    }


@cache
def of_programs() -> Mapping[str, Sequence[str]]:
    """By rule, the cases that preview a program; turned ones behind all others."""
    from nodeworthy.own_rules.cases import cases_in

    found: dict[str, list[str]] = defaultdict(list)
    previewed = {case.id for case in cases_in(ROOT / "tests" / "cases") if case.command[0] == "preview"}
    for case in sorted(previewed):
        found[case.partition("/")[0]].append(f"{CASES}::test_case[{case}]")
    for name, case, _ in _entries():
        if case in previewed:
            found[case.partition("/")[0]].append(f"{TURNED}::test_what_is_told_of_a_turned_case[{name}]")
    return found


def _read_by(test: Path) -> list[Path]:
    """The tables that a file of tests reads: what stands in a folder `as_read` beside it."""
    return sorted((test.parent / "as_read").glob("*.json")) if test.name == "test_read.py" else []


def _turned(cases: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, case, entry in _entries():
        yield name, hashlib.sha256((json.dumps(entry) + cases[case]).encode()).hexdigest()[:16]


def _entries() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Of each case that is turned how its test is called, and which case it is."""
    for file in sorted((ROOT / "tests" / "turned").glob("*.json")):
        for at, entry in enumerate(json.loads(file.read_text(encoding="utf-8"))):
            yield f"{file.stem}/{at}", f"{file.stem}/{entry['case']}", entry


def _digest(paths: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def mapped(folder: Path, jobs: int, seconds: float) -> Reached:
    """The map, with what is new run first; in a child, for whoever tries mutants has nothing of ours imported."""
    (ended,) = forked(1, [lambda: _complete(folder, jobs)], LONGEST_SECONDS * PARTS)
    if ended.code != 0:
        raise SystemExit(f"no map of the tests could be made: exit code {ended.code}")
    lines = (folder / "current.jsonl").read_text(encoding="utf-8").splitlines()
    tests = [
        Reach(told["test"], told["seconds"], frozenset(told["functions"]), frozenset(told.get("marks", ())))
        for told in map(json.loads, lines)
    ]
    return Reached(tests, seconds, json.loads((folder / "programs.json").read_text(encoding="utf-8")))


def _complete(folder: Path, jobs: int) -> int:
    _probe()
    file, digests = folder / "reached.jsonl", digests_now()
    asked, there = _asked(file), _lines(file, digests)
    # A case is one test: what is there of it is all, also where the rest of its part was not reached.
    (folder / "programs.json").write_text(json.dumps(of_programs()), encoding="utf-8")
    programs = {name for names in of_programs().values() for name in names}
    cases = sorted(name for name in digests if _is_case(name) and name not in there and name not in programs)
    moved = {of_file(name) for name in _last(file, digests).keys() - there.keys()}
    others = {name: digest for name, digest in digests.items() if not _is_case(name)}
    files = sorted(name for name, digest in others.items() if asked.get(name) != digest or name in moved)
    whole, drawn = ([name for name in files if (name in WHOLE) is so] for so in (True, False))
    parts = [part for new in (cases, whole, drawn) for at in range(PARTS) if (part := new[at::PARTS])]
    for ended in each_forked(jobs, [Recording(file, part) for part in parts], LONGEST_SECONDS):
        if isinstance(ended.of, Recording) and ended.code == 0:
            with _beside(file).open("a", encoding="utf-8") as written:
                written.writelines(f"{name}\t{digests[name]}\n" for name in ended.of.names)
    collected = _collected(folder / "collected.txt")
    with (folder / "current.jsonl").open("w", encoding="utf-8") as written:
        for test, line in _lines(file, digests).items():
            if test in collected:
                written.write(line + "\n")
    return 0


def _collected(into: Path) -> frozenset[str]:
    """Every test that there is. Some files draw what they ask, and another draw leaves out what was run once: pytest
    runs none of the tests that it is given where one of them is not there."""
    into.unlink(missing_ok=True)
    forked(1, [Collecting(into)], LONGEST_SECONDS)
    return frozenset(into.read_text(encoding="utf-8").splitlines())


@dataclass(frozen=True)
class Collecting:
    into: Path

    def __call__(self) -> int:
        import pytest

        return int(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--collect-only", *ASKED], [self]))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.into.write_text("\n".join(each.nodeid for each in session.items), encoding="utf-8")


def _lines(file: Path, digests: Mapping[str, str]) -> dict[str, str]:
    """What the map says of tests that are as they were, and of functions that are called as they were."""
    there = set(every_function())
    return {
        test: line for test, line in _last(file, digests).items() if there.issuperset(json.loads(line)["functions"])
    }


def _last(file: Path, digests: Mapping[str, str]) -> dict[str, str]:
    told = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    read = ((json.loads(line), line) for line in told if line.endswith("}"))
    return {each["test"]: line for each, line in read if each["of"] == digests.get(of_file(each["test"]))}


def every_function() -> Iterator[str]:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            names = _Probed(path.relative_to(ROOT).as_posix())
            names.visit(ast.parse(path.read_text(encoding="utf-8")))
            yield from names.found


def _asked(file: Path) -> dict[str, str]:
    """Also files whose tests are all long, or fail: they are not asked again as long as they stay."""
    lines = _beside(file).read_text(encoding="utf-8").splitlines() if _beside(file).exists() else []
    return dict(line.rsplit("\t", 1) for line in lines)


def room_of(test: str) -> str:
    """The rule of a case, turned or not, else the file."""
    named = "/" in test.partition("[")[2]
    return test.rpartition("/")[0] if named else of_file(test)


def _is_case(name: str) -> bool:
    return name.startswith((CASES, TURNED))


def _beside(file: Path) -> Path:
    return file.with_suffix(".asked")


@dataclass(frozen=True)
class Recording:
    file: Path
    names: Sequence[str]

    def __call__(self) -> int:
        import pytest

        # Most cases of a rule are long, and so are most that are turned, of which each shows one branch.
        marked = ON_ANY_DAY if _is_case(self.names[0]) or self.names[0] in WHOLE else "not long and not night"
        # One file that can't be imported would end the part before its first test.
        chosen = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--continue-on-collection-errors", "-m", marked]
        code = pytest.main([*chosen, *self.names], plugins=[Recorder(self.file, digests_now())])
        return (
            0 if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED) else 1
        )


class Reached:
    """The tests of a mutant: those that run its function, as many as there is time for."""

    def __init__(
        self, tests: Iterable[Reach], seconds: float, programs: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.seconds = seconds
        self.programs = programs or {}
        self.of_function: dict[str, list[Reach]] = defaultdict(list)
        self.of_path: dict[str, dict[str, Reach]] = defaultdict(dict)
        self.of_mark: dict[str, list[Reach]] = defaultdict(list)
        for test in tests:
            for mark in test.marks:
                self.of_mark[mark].append(test)
            for function in test.functions:
                self.of_function[function].append(test)
                self.of_path[function.partition(":")[0]][test.test] = test

    def tests(self, mutant: Mutant) -> list[Reach]:
        """Those in which what is changed decides come first. What runs a program comes last: whoever fails before it saves its
        time."""
        telling = [each for mark in marks_of(mutant) for each in self._telling(mark)]
        running = self._sorted(mutant, self._running(mutant))
        return [*self._within(dict.fromkeys([*telling, *running])), *self._programs(mutant)]

    def _telling(self, mark: str) -> Sequence[Reach]:
        return sorted(self.of_mark.get(mark, ()), key=lambda each: each.seconds)[:FEW]

    def _programs(self, mutant: Mutant) -> Iterator[Reach]:
        """Those of its rule, or of the rules that take from it, one of each in turn."""
        rules = sorted({each for path in (mutant.path, *importers(mutant.path)) if (each := rule_of(path))})
        named = itertools.zip_longest(*(self.programs.get(rule, ()) for rule in rules))
        tests = (name for turn in named for name in turn if name is not None)
        yield from (Reach(name, PROGRAM_SECONDS, frozenset()) for name in itertools.islice(tests, OF_PROGRAMS))

    def _running(self, mutant: Mutant) -> Sequence[Reach]:
        running = self.of_function.get(f"{mutant.path}:{mutant.change.function}", [])
        if running:
            return running
        # Outside of any function it is run by an import: whoever runs something of the module, or of those that take from it.
        # So is a function that nobody ran when the map was made: it may be new.
        own = self.of_path.get(mutant.path, {})
        takers = {name: test for path in importers(mutant.path) for name, test in self.of_path.get(path, {}).items()}
        return [*own.values(), *(test for name, test in takers.items() if name not in own)]

    def _sorted(self, mutant: Mutant, tests: Iterable[Reach]) -> Iterator[Reach]:
        """By the name of the module first; then one of each rule and of each file in turn, what runs least beside it
        first: tests of one room are much alike, and another room often notices what they all pass over."""
        parts = Path(mutant.path).with_suffix("").parts
        names = parts[2:] if parts[1] == "rules" else parts[-1:]
        own = [word for name in names for word in (f"[{name.replace('_', '-')}/", f"test_{name}")]
        rooms = defaultdict[str, list[Reach]](list)
        for each in sorted(tests, key=lambda each: len(each.functions)):
            rooms["" if any(word in each.test for word in own) else room_of(each.test)].append(each)
        yield from rooms.pop("", ())
        for turn in itertools.zip_longest(*rooms.values()):
            yield from filter(None, turn)

    def _within(self, tests: Iterable[Reach]) -> Iterator[Reach]:
        left = self.seconds
        for each in tests:
            if each.seconds <= left:
                left -= each.seconds
                yield each


def rule_of(path: str) -> str:
    """The rule that a module belongs to; empty for one of facts."""
    parts = Path(path).with_suffix("").parts
    return parts[2].replace("_", "-") if parts[1] == "rules" and len(parts) > 2 else ""


@cache
def importers(path: str) -> frozenset[str]:
    return frozenset(_imported_by().get(module_of(path), ()))


@cache
def _imported_by() -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module:
                    found[node.module].add(path.relative_to(ROOT).as_posix())
    return found
