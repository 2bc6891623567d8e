"""The arrows of the house run one way. Each contract is seen failing on a planted violation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, copy

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

PLANTED = [
    ("verdict.py", "from nodeworthy import engine", "nodeworthy.verdict -> nodeworthy.engine"),
    (
        "facts/fleet/gpu_pool.py",
        "from nodeworthy.rules import catalogue",
        "nodeworthy.facts.fleet.gpu_pool -> nodeworthy.rules",
    ),
    ("rules/looked_at.py", "import nodeworthy.report.text", "nodeworthy.rules.looked_at -> nodeworthy.report.text"),
    ("report/text.py", "import nodeworthy.collect", "nodeworthy.report.text -> nodeworthy.collect"),
    ("engine.py", "def late():\n    import nodeworthy.cli", "nodeworthy.engine -> nodeworthy.cli"),
    ("engine.py", "import infra", "nodeworthy.engine -> infra"),
    ("fleet/model.py", "import policies", "nodeworthy.fleet.model -> policies"),
    ("facts/not_seen.py", "import pulumi", "nodeworthy.facts.not_seen -> pulumi"),
    ("report/json.py", "def late():\n    import kubernetes", "nodeworthy.report.json -> kubernetes"),
]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(LINT_IMPORTS), "--no-cache", "--no-logo"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_the_arrows_run_one_way() -> None:
    told = lint_imports(ROOT)
    assert told.returncode == 0, told.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a house in which all of them are planted."""
    house = copy(tmp_path_factory.mktemp("house"), "nodeworthy", "pyproject.toml")
    for file, line, _ in PLANTED:
        with (house / "nodeworthy" / file).open("a", encoding="utf-8") as module:
            module.write(f"\n{line}\n")
    told = lint_imports(house)
    assert told.returncode == 1, told.stdout
    return told.stdout


def test_each_arrow_the_other_way_is_reported(report: str) -> None:
    assert [arrow for _, _, arrow in PLANTED if arrow not in report] == []


def test_a_room_without_a_place_is_reported(tmp_path: Path) -> None:
    house = copy(tmp_path, "nodeworthy", "pyproject.toml")
    (house / "nodeworthy" / "attic.py").write_text("")
    told = lint_imports(house)
    assert told.returncode == 1
    assert "nodeworthy.attic" in told.stdout
