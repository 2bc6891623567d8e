"""What tells whose cluster a file is of is asked for each file, and read once."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from nodeworthy.collect.source import whose_cluster
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import read_all
from nodeworthy.verdict import Place
from tests.case_files import whole
from tests.run import run_json

MANY = 12


def test_what_flux_applies_is_read_once_for_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(whole("containerd-paths/bad-source-applied-by-flux"), tmp_path, dirs_exist_ok=True)
    (tmp_path / ".git").mkdir(exist_ok=True)
    values = tmp_path / "infrastructure" / "gpu-operator" / "managed" / "release.yaml"
    for number in range(MANY):
        shutil.copy(values, values.with_name(f"more-{number}.yaml"))
    asked: Counter[str] = Counter()

    def counted(text: str, place: Place) -> list[Tree]:
        asked[str(place)] += 1
        return read_all(text, place)

    monkeypatch.setattr("nodeworthy.collect.source.whose_cluster.read_all", counted)
    whose_cluster._applied_by.cache_clear()
    found = run_json("check", "infrastructure", "--no-cache", "--rule", "containerd-paths", cwd=tmp_path)
    assert len(found.told_by("containerd-paths")) > MANY
    assert len(asked) == 2
    assert set(asked.values()) == {1}
