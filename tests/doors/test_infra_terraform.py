"""A fault of a group of GPU nodes is told by whatever tool they are asked for, on its line, and its healthy twin is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.by_day import some
from tests.doors.infra_seeds import SEEDS, Seed
from tests.doors.infra_terraform import SOURCES, Source
from tests.doors.told import lay
from tests.run import run_json

# What is told on another line, and why: what a module makes of what it is given stands where it is called.
_IN_OTHER_WORDS = "the module says it in other words than AWS"
ELSEWHERE: Mapping[tuple[str, str], str] = {
    ("cloudposse/eks-node-group", "metadata-without-a-token"): _IN_OTHER_WORDS,
    (
        "Pulumi in YAML",
        "more-at-least-than-at-most",
    ): "the first of the numbers that do not fit is named, which is another one",
}

PAIRS = [(source, seed) for source in SOURCES for seed in SEEDS if source.write(seed.faulty)]


def _name(pair: tuple[Source, Seed]) -> str:
    return f"{pair[1].name}, {pair[0].name}"


@pytest.mark.parametrize(("source", "seed"), some(PAIRS, 24, _name))
def test_a_fault_is_told_by_this_tool(source: Source, seed: Seed, tmp_path: Path) -> None:
    lay(source.write(seed.faulty), tmp_path)
    found = _told(tmp_path, seed.rule)
    assert found, "nothing is told"
    if source.shows and seed.shown:
        on_its_line = any(seed.shown in _line(each, tmp_path) for each in found)
        assert on_its_line is ((source.name, seed.name) not in ELSEWHERE)


@pytest.mark.parametrize(("source", "seed"), some(PAIRS, 24, _name))
def test_its_healthy_twin_is_told_nothing_of(source: Source, seed: Seed, tmp_path: Path) -> None:
    lay(source.write(seed.healthy), tmp_path)
    assert not _told(tmp_path, seed.rule)


def test_what_differs_is_of_tools_and_seeds_that_there_are() -> None:
    assert ELSEWHERE.keys() <= {(source.name, seed.name) for source, seed in PAIRS}


def _told(folder: Path, rule: str) -> list[dict[str, Any]]:
    return [each for each in run_json("check", ".", cwd=folder).told_by(rule) if each["verdict"] == "fail"]


def _line(finding: Mapping[str, Any], folder: Path) -> str:
    where = finding["where"]
    lines = (folder / where["path"]).read_text(encoding="utf-8").splitlines()
    return lines[where["line"] - 1] if "line" in where else ""
