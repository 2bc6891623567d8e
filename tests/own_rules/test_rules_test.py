"""`rules test DIR`: every promise of a case is asked for, every kind that is missing is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from nodeworthy.own_rules.load import load
from nodeworthy.own_rules.trial import trial
from tests.own_rules.texts import PINNED, RULE, cases, rules, values
from tests.run import run


@pytest.fixture
def folder(here: Path) -> Path:
    made = rules(here / "gpu_rules")
    cases(made)
    return made


def case(folder: Path, name: str) -> Path:
    return folder / "cases" / PINNED / name


def test_all_hold(folder: Path) -> None:
    ran = run("rules", "test", "gpu_rules", "--format", "json")
    assert ran.code == 0, ran.out
    assert ran.report["summary"] == {"rules": 1, "cases": 3, "hold": 3, "broken": 0, "missing": 0, "not_tried": 0}
    assert not list(folder.rglob("expected.json"))


def test_promises_that_are_not_kept(folder: Path) -> None:
    values(case(folder, "bad-latest"), "v1.19.0")
    values(case(folder, "good-released"), "latest")
    values(case(folder, "unknown-tag"), "v1.19.0")
    values(case(folder, "worse-latest"))
    ran = run("rules", "test", "gpu_rules")
    assert ran.code == 1
    assert f"{PINNED} says pass, and fail was promised" in ran.out
    assert f"{PINNED} says fail, and pass was promised" in ran.out
    assert f"{PINNED} says pass, and unknown was promised" in ran.out
    assert "the exit code is 1, and 0 was promised" in ran.out
    assert "its name begins with none of bad-, good-, unknown-" in ran.out


def test_a_kind_that_is_missing(folder: Path) -> None:
    shutil.rmtree(case(folder, "good-released"))
    shutil.rmtree(case(folder, "unknown-tag"))
    ran = run("rules", "test", "gpu_rules")
    assert ran.code == 1
    assert "missing a case good-…" in ran.out
    assert "missing a case unknown-…, or never_unknown=" in ran.out
    rules(folder, RULE.replace("    remedy=", "    never_unknown='the tag is plain',\n    remedy="))
    assert "missing a case unknown" not in run("rules", "test", "gpu_rules").out


def test_cases_of_no_rule(folder: Path) -> None:
    case(folder, "").rename(folder / "cases" / "of-nothing")
    ran = run("rules", "test", "gpu_rules")
    assert ran.code == 1
    assert "cases/of-nothing is of no rule here" in ran.out


def test_what_could_not_be_tried(folder: Path) -> None:
    rules(folder, "raise ValueError('x')\n", "another_one")
    (case(folder, "bad-latest") / "cmd").write_text("check gone.yaml\n")
    ran = run("rules", "test", "gpu_rules")
    assert ran.code == 3
    assert "another_one.py:1: ValueError: x" in ran.out.replace(" another-one", "")
    assert "gone.yaml" in ran.out


def test_a_rule_that_never_ends_is_stopped(folder: Path) -> None:
    rules(folder, RULE.replace("    version = ", "    while True:\n        pass\n    version = "))
    for name in ("good-released", "unknown-tag"):
        shutil.rmtree(case(folder, name))
    (tried,) = trial(load(folder, "gpu_rules", ()), timeout=3)
    assert [each.not_run for each in tried.tried] == ["it did not end within 3 s"]


def test_a_golden_holds_all_that_is_told(folder: Path) -> None:
    assert run("rules", "test", "gpu_rules", "--update").code == 0
    golden = case(folder, "bad-latest") / "expected.json"
    assert json.loads(golden.read_text())["exit"] == 1
    assert run("rules", "test", "gpu_rules").code == 0
    rules(folder, RULE.replace("moves with every release", "is not pinned"))
    ran = run("rules", "test", "gpu_rules")
    assert ran.code == 1
    assert "expected.json says something else" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("test",), 2), (("test", "gone"), 2), (("test", "empty"), 3), (("--update",), 2), (("try", "gpu_rules"), 2)],
)
def test_how_else_it_ends(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    (folder.parent / "empty").mkdir()
    assert run("rules", *arguments).code == code


def test_the_folder_may_be_that_of_the_settings(folder: Path) -> None:
    (folder.parent / ".nodeworthy.yaml").write_text("rules: gpu_rules\n")
    assert run("rules", "test").code == 0
