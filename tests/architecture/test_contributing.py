"""CONTRIBUTING.md's "Add a rule" and "Add a fact", step by step as they stand there, in a copy of the repository."""

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
RULE, RULE_OF_FACT = "toolkit-version-pinned", "no-gpu-by-default"
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


def steps(chapter: str) -> list[tuple[str, str | None, str]]:
    section = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split(f"## {chapter}\n")[1].split("\n## ")[0]
    return [(block["language"], block["path"], block["text"]) for block in BLOCK.finditer(section)]


def with_these_lines(text: str, change: str) -> str:
    """A diff without numbers: the lines that it keeps say where, and stand there once."""
    lines = change.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] == " ")
    assert text.count(before) == 1, f"this stands there {text.count(before)} times:\n{before}"
    return text.replace(before, "".join(line[1:] for line in lines))


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


def write(house: House, language: str, path: str, text: str) -> None:
    file = house.folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    written = with_these_lines(file.read_text(encoding="utf-8"), text) if language == "diff" else text
    file.write_text(written, encoding="utf-8")


@pytest.fixture(scope="module")
def said(house: House) -> dict[str, str]:
    """What each command of the steps printed, once the files of the steps are written; of both chapters at once, for
    `make docs` takes long."""
    every = [*steps("Add a rule"), *steps("Add a fact")]
    for language, path, text in every:
        if path is not None:
            write(house, language, path, text)
    typed = [line for language, _, text in every if language == "console" for line in text.splitlines()]
    lines = sorted(set(typed), key=lambda line: (line == "$ make docs", typed.index(line)))
    return {line: house.typed(line.removeprefix("$ ")) for line in lines}


def test_the_linter_takes_what_stands_there(house: House, said: dict[str, str]) -> None:
    paths = {path for each in ("Add a rule", "Add a fact") for _, path, _ in steps(each) if path is not None}
    assert said
    house.run(sys.executable, "-m", "ruff", "check", *sorted(each for each in paths if each.endswith(".py")))


@pytest.mark.parametrize(("chapter", "lines"), [("Add a rule", 60), ("Add a fact", 120)])
def test_it_fits_on_a_page(chapter: str, lines: int) -> None:
    assert sum(len(text.splitlines()) for _, _, text in steps(chapter)) < lines


def test_the_rule_is_found(said: dict[str, str]) -> None:
    assert RULE in said["$ nodeworthy rules"]


def test_it_is_documented(house: House, said: dict[str, str]) -> None:
    page = (house.folder / "docs" / "rules" / f"{RULE}.md").read_text(encoding="utf-8")
    assert f"docs/rules/{RULE}.md" in said["$ make docs"]
    assert "two nodes that were built on two days" in page
    assert f"warning {RULE}" in page, "the bad case, as it was run"
    assert RULE in (house.folder / "docs" / "rules" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("rule", "case", "verdict"),
    [
        (RULE, "bad-latest", "fail"),
        (RULE, "unknown-tag", "unknown"),
        (RULE_OF_FACT, "bad-default", "fail"),
        (RULE_OF_FACT, "bad-plan-default", "fail"),
        (RULE_OF_FACT, "unknown-limits", "unknown"),
    ],
)
def test_it_is_run(house: House, said: dict[str, str], rule: str, case: str, verdict: str) -> None:
    assert said
    golden = json.loads((house.folder / "tests" / "cases" / rule / case / "expected.json").read_text(encoding="utf-8"))
    assert verdict in [found["verdict"] for found in golden["findings"] if found["rule"] == rule]


def test_a_fact_is_there_at_the_moments_that_it_names(house: House, said: dict[str, str]) -> None:
    page = (house.folder / "docs" / "rules" / f"{RULE_OF_FACT}.md").read_text(encoding="utf-8")
    assert said
    assert "source, plan" in page


@pytest.mark.parametrize(("rule", "passed"), [(RULE, 3 + 3), (RULE_OF_FACT, 4 + 3)])
def test_its_cases_hold_and_are_complete(house: House, said: dict[str, str], rule: str, passed: int) -> None:
    assert said
    closing = house.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", rule,
        "tests/test_cases.py", "tests/architecture/test_rules_are_proven.py",
    )  # fmt: skip
    assert f"{passed} passed" in closing, "its cases, and three demands on a rule"
