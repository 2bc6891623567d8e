"""Which mutants a seed names: always the same of the same code, and nearly the same after a change elsewhere."""

from __future__ import annotations

import difflib
import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.mutants.operators import Change, changed, changes, line_after

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("nodeworthy/rules", "nodeworthy/facts")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Mutant:
    # Of the repository.
    path: str
    change: Change
    # Which of those that read the same in this function, from 0.
    nth: int

    @property
    def line_before(self) -> str:
        return _lines(self.path)[self.change.line - 1]

    @property
    def before(self) -> str:
        return self.line_before.strip()

    @property
    def after(self) -> str:
        return line_after(self.line_before, self.change).strip()

    @property
    def source(self) -> str:
        return changed(_source(self.path), self.change)

    @property
    def name(self) -> str:
        """What it is called as long as its line reads the same, wherever it moves."""
        words = (self.path, self.change.function, self.change.operator, self.before, self.after, str(self.nth))
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]

    def diff(self) -> str:
        before, after = _source(self.path).splitlines(), self.source.splitlines()
        told = list(difflib.unified_diff(before, after, f"a/{self.path}", f"b/{self.path}", lineterm="", n=2))
        return "\n".join(told)


def every_mutant(root: Path = ROOT) -> Iterator[Mutant]:
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            yield from of_module(path.relative_to(root).as_posix())


def of_module(path: str) -> Iterator[Mutant]:
    lines = _lines(path)
    seen: Counter[tuple[str, ...]] = Counter()
    for change in changes(_source(path)):
        same = (change.function, change.operator, lines[change.line - 1].strip(), str(change.start), change.text)
        yield Mutant(path, change, seen[same])
        seen[same] += 1


def drawn(seed: int, count: int, among: Iterator[Mutant]) -> list[Mutant]:
    """The first of them all, in an order of the seed's own: a larger count only adds some."""
    return sorted(among, key=lambda each: hashlib.sha256(f"{seed} {each.name}".encode()).digest())[:count]


@dataclass(frozen=True)
class Equivalent:
    """No test can tell it from what it was, and this is why."""

    path: str
    before: str
    after: str
    why: str

    def is_of(self, mutant: Mutant) -> bool:
        return (self.path, self.before, self.after) == (mutant.path, mutant.before, mutant.after)


def equivalents(file: Path = EQUIVALENT) -> Sequence[Equivalent]:
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return [Equivalent(each["path"], each["before"], each["after"], each["why"]) for each in table.get("mutant", [])]


@cache
def _lines(path: str) -> Sequence[str]:
    return _source(path).splitlines()


@cache
def _source(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
