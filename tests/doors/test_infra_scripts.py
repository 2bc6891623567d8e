"""A fault in what infrastructure has machines run, and in values beside its root, is told on its line; its healthy twin
is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.infra_scripts import PAIRS, Files, Pair
from tests.doors.told import lay
from tests.run import run_json


@pytest.mark.parametrize("pair", PAIRS, ids=lambda each: each.name)
def test_a_fault_is_told_and_its_healthy_twin_is_not(pair: Pair, tmp_path: Path) -> None:
    lines = pair.ill[pair.path].splitlines()
    assert any(pair.shown in lines[at - 1] for at in _failed(pair.ill, pair, tmp_path / "ill"))
    assert not _failed(pair.well, pair, tmp_path / "well")


def test_values_of_another_clouds_folder_are_of_another_cluster(tmp_path: Path) -> None:
    pair = next(each for each in PAIRS if each.name == "values beside the only root")
    apart = {path.replace("k8s/", "nebius/"): text for path, text in pair.ill.items()}
    lay(apart, tmp_path)
    assert not run_json("check", ".", cwd=tmp_path).told_by(pair.rule)


def test_a_folder_that_is_named_belongs_together_outside_of_any_project(tmp_path: Path) -> None:
    pair = next(each for each in PAIRS if each.name == "values beside the only root")
    for path, text in pair.ill.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
    found = run_json("check", str(tmp_path)).told_by(pair.rule)
    assert [each["verdict"] for each in found] == ["fail"]


def _failed(files: Files, pair: Pair, folder: Path) -> list[int]:
    lay(files, folder)
    found = run_json("check", ".", cwd=folder).told_by(pair.rule)
    return [each["where"]["line"] for each in found if each["verdict"] == "fail" and each["where"]["path"] == pair.path]
