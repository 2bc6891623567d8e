"""Each pool's script as it is kept: `make boot-scripts` writes them anew, and the diff is what one reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.userdata.families import FLEET, GOLDEN, POOLS, script_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", POOLS)
def test_the_script_is_what_it_was(name: str) -> None:
    golden = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert script_of(name) == golden, "read the diff of `make boot-scripts`"


def test_there_are_no_others() -> None:
    assert sorted(file.stem for file in GOLDEN.iterdir()) == sorted(POOLS)


def written(folder: Path, seed: str) -> dict[str, bytes]:
    command = [sys.executable, "-m", "userdata", "--fleet", str(FLEET), "--out", str(folder)]
    subprocess.run(command, cwd=ROOT, env={"PYTHONHASHSEED": seed}, check=True)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_the_same_fleet_gives_the_same_bytes(tmp_path: Path) -> None:
    assert written(tmp_path / "one", "1") == written(tmp_path / "other", "2")


@pytest.mark.parametrize("name", POOLS)
def test_it_says_what_it_is_and_where_it_came_from(name: str) -> None:
    head = script_of(name)[:1500]
    assert f"of pool {name} of stack families: " in head
    assert "`python -m userdata`" in head


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "userdata", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_stacks_script_can_be_looked_at() -> None:
    told = run("--stack", "ci", "--pool", "h100")
    assert told.returncode == 0, told.stderr
    assert "nodeworthy/pool=h100" in told.stdout
    assert "a10g" not in told.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("--stack", "ci", "--pool", "h200"), "h200"), (("--stack", "nowhere"), "nowhere")],
    ids=["pool", "stack"],
)
def test_what_is_not_there_is_one_sentence(arguments: tuple[str, ...], why: str) -> None:
    told = run(*arguments)
    assert told.returncode == 2
    assert why in told.stderr
    assert len(told.stderr.splitlines()) == 1
