"""CONTRIBUTING.md's "Add a rule", step by step as it stands there, in a copy of the repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, copy

BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<path>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
RULE = "toolkit-version-pinned"
PARTS = (
    "nodeworthy",
    "tests",
    "tools",
    "docs",
    "Makefile",
    "pyproject.toml",
    "locks",
    "CONTRIBUTING.md",
    "Pulumi.prod.yaml",
)


@dataclass(frozen=True)
class House:
    """A repository with this interpreter's libraries and its own code."""

    folder: Path

    def run(self, *command: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("PYTEST_ADDOPTS", None)
        told = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert told.returncode == 0, f"$ {shlex.join(command)}\n{told.stdout}{told.stderr}"
        return told.stdout

    def typed(self, line: str) -> str:
        """A line of a console block, with what is installed here in the place of .venv."""
        program, *words = shlex.split(line, comments=True)
        if program == "nodeworthy":
            return self.run(sys.executable, "-m", "nodeworthy", *words)
        assert program == "make", line
        python = f"env PYTHONPATH={self.folder} {sys.executable}"
        return self.run("make", *words, "INSTALLED=", "LOCKED=", f"PY={python}", "PYTEST_WORKERS=0")


def steps() -> list[tuple[str, str | None, str]]:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add a rule")[1].split("\n## ")[0]
    return [(block["language"], block["path"], block["text"]) for block in BLOCK.finditer(section)]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    folder = copy(tmp_path_factory.mktemp("house"), *PARTS)
    # `make docs` runs the examples of all rules; those that run a program take long, and are not what this is about.
    for case in (folder / "tests" / "cases").glob("*/*-plan-*"):
        shutil.rmtree(case)
    for table in (folder / "tests" / "cases").glob("*/cases.toml"):
        lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
        table.write_text("".join(line for line in lines if "-plan-" not in line), encoding="utf-8")
    return House(folder)


@pytest.fixture(scope="module")
def said(house: House) -> dict[str, str]:
    """What each command of the steps printed, once the files of the steps are written."""
    for _, path, text in steps():
        if path is not None:
            file = house.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    lines = [line for language, _, text in steps() if language == "console" for line in text.splitlines()]
    return {line: house.typed(line.removeprefix("$ ")) for line in lines}


def test_it_fits_on_a_page() -> None:
    assert sum(len(text.splitlines()) for _, _, text in steps()) < 60


def test_the_rule_is_found(said: dict[str, str]) -> None:
    assert RULE in said["$ nodeworthy rules"]


def test_it_is_documented(house: House, said: dict[str, str]) -> None:
    page = (house.folder / "docs" / "rules" / f"{RULE}.md").read_text(encoding="utf-8")
    assert f"docs/rules/{RULE}.md" in said["$ make docs"]
    assert "two nodes that were built on two days" in page
    assert f"warning {RULE}" in page, "the bad case, as it was run"
    assert RULE in (house.folder / "docs" / "rules" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("case", "verdict"), [("bad-latest", "fail"), ("unknown-tag", "unknown")])
def test_it_is_run(house: House, said: dict[str, str], case: str, verdict: str) -> None:
    assert said
    golden = json.loads((house.folder / "tests" / "cases" / RULE / case / "expected.json").read_text(encoding="utf-8"))
    assert verdict in [found["verdict"] for found in golden["findings"] if found["rule"] == RULE]


def test_its_cases_hold_and_are_complete(house: House, said: dict[str, str]) -> None:
    assert said
    closing = house.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", RULE,
        "tests/test_cases.py", "tests/architecture/test_rules_are_proven.py",
    )  # fmt: skip
    assert "6 passed" in closing, "three cases, and three demands on a rule"
