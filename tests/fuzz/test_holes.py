"""What somebody fills in later fails nothing: where a good case holds a hole in place of any part of a document, no
rule fails that passed."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.documents import yaml
from nodeworthy.documents.tree import Tree
from nodeworthy.own_rules.cases import Case
from nodeworthy.records import replace
from nodeworthy.verdict import Place, Unknown
from tests.case_files import every_case
from tests.run import run

pytestmark = pytest.mark.skipif(not str(yaml.__file__).endswith(".py"), reason="compiled code calls past the hole")

# With these holes a case is another one: a pool, a machine's image or its probes are no more there to be seen.
ANOTHER_CASE = (
    "containerd-paths/good-source-applied-by-flux",
    "driver-fits/good-source-talos-images-of-two-cards",
    "failure-is-loud/good-lima-with-a-probe",
)
GOOD = [
    each for each in every_case() if each.kind == "good" and each.command[0] == "check" and each.id not in ANOTHER_CASE
]
SAMPLE = random.Random(20261130).sample(GOOD, 20)
HOLES_BY_NIGHT = 3
# By these a document is known for what it is; with a hole there it is another one.
_KEPT = ("kind", "apiVersion")
_DEEPEST, _MOST_ENTRIES = 7, 4
_HOLE = Unknown("somebody fills it in")

Path_ = tuple[str | int, ...]


def parts(tree: Tree, path: Path_ = ()) -> Iterator[Path_]:
    """The ways to all of its parts."""
    inner: list[tuple[str | int, Tree]] = [(name, each) for name, each in tree.mapping.items() if name not in _KEPT]
    inner += enumerate(tree.sequence[:_MOST_ENTRIES])
    for step, each in inner if len(path) < _DEEPEST else ():
        yield (*path, step)
        yield from parts(each, (*path, step))


def with_a_hole(tree: Tree, path: Path_) -> Tree:
    if not path:
        return replace(tree, value=_HOLE, written=None, inside=None)
    step, behind = path[0], path[1:]
    if isinstance(step, int):
        entries = list(tree.sequence)
        entries[step] = with_a_hole(entries[step], behind)
        return replace(tree, value=entries)
    return replace(tree, value={**tree.mapping, step: with_a_hole(tree.mapping[step], behind)})


def failing(findings: Sequence[Mapping[str, Any]]) -> set[str]:
    return {each["rule"] for each in findings if each["verdict"] == "fail" or each["rule"] == "rule-crashed"}


def fails_by_a_hole(case: Case, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rules that fail with the hole of this number and did not before, and where the hole is."""
    alone = case.lay_out(tmp_path / str(number) / case.name)
    chance = random.Random(zlib.crc32(f"{case.id} {number}".encode()))
    asked = (*case.command, "--format", "json", "--no-cache")
    before = failing(run(*asked, cwd=alone).report["findings"])
    names = sorted(
        str(each.relative_to(alone)) for each in alone.rglob("*.y*ml") if not each.name.startswith("Pulumi.")
    )
    if not names:
        return []
    chosen, seed, read = chance.choice(names), chance.random(), yaml._trees
    where: list[Path_] = []

    def read_with_a_hole(text: str, origin: Place, *rest: Any, **named: Any) -> list[Tree]:
        found = read(text, origin, *rest, **named)
        ways = (
            [(index, path) for index, each in enumerate(found) for path in parts(each)] if origin.path == chosen else []
        )
        if not ways:
            return found
        index, path = random.Random(seed).choice(ways)
        where.append(path)
        return [with_a_hole(each, path) if each is found[index] else each for each in found]

    with monkeypatch.context() as patched:
        patched.setattr(yaml, "_trees", read_with_a_hole)
        now = run(*asked, cwd=alone)
    fails = failing(now.report["findings"]) - before if now.out else set()
    return [f"{rule}: {chosen} {where[0]}" for rule in sorted(fails)]


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.id)
def test_a_hole_fails_nothing(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fails_by_a_hole(case, 0, tmp_path, monkeypatch) == []


@pytest.mark.night
@pytest.mark.parametrize("number", range(HOLES_BY_NIGHT))
@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.id)
def test_no_hole_fails_anything(case: Case, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fails_by_a_hole(case, number, tmp_path, monkeypatch) == []
