"""A preview in a root of Terraform: it says how to get the plan, or makes it where somebody asks for that."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.run import Ran, run
from tests.source.terraform_plans import SENSITIVE, a_plan

_PROGRAM = """#!/bin/sh
echo "$@" >> "{log}"
case "$1" in
  plan) echo "planning {secret}"; {does} ;;
  show) cat "{plan}" ;;
esac
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root, and in PATH nothing but what a test puts there."""
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "main.tf").write_text('resource "terraform_data" "a" {}\n', encoding="utf-8")
    programs = tmp_path / "bin"
    programs.mkdir()
    needed = {name: shutil.which(name) for name in ("sh", "cat", "sleep", "git")}
    for name, there in needed.items():
        if there is not None:
            (programs / name).symlink_to(there)
    monkeypatch.setenv("PATH", str(programs))
    return folder


def install(root: Path, name: str = "tofu", does: str = "exit 0") -> Path:
    """A program that plans nothing and shows a plan of ours."""
    plan, log = root.parent / "said.json", root.parent / "log"
    plan.write_text(json.dumps(a_plan()), encoding="utf-8")
    program = root.parent / "bin" / name
    program.write_text(
        _PROGRAM.format(log=log, plan=plan, does=does, secret=f"password={SENSITIVE[0]}"), encoding="utf-8"
    )
    program.chmod(0o755)
    return log


def preview(root: Path, *words: str) -> Ran:
    return run("preview", *words, cwd=root)


def test_it_says_how_to_get_the_plan(root: Path) -> None:
    ran = preview(root)
    assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1)
    assert "`terraform plan -out=tfplan && terraform show -json tfplan > plan.json`" in ran.err
    install(root)
    assert "`tofu plan -out=tfplan && tofu show -json tfplan > plan.json`" in preview(root).err


def test_asked_for_it_makes_the_plan_and_judges_it(root: Path) -> None:
    log = install(root)
    ran = preview(root, "--run", "--format", "json")
    assert ran.code == 1
    assert ran.report["moment"] == "plan"
    assert [each["where"]["urn"] for each in ran.findings if each["rule"] == "not-open-to-the-world"]
    said = log.read_text(encoding="utf-8").splitlines()
    assert said[0].endswith("-input=false -lock=false -no-color")
    assert os.path.dirname(said[0].split()[1].removeprefix("-out=")) != str(root)  # noqa: PTH120
    assert [each.name for each in root.iterdir()] == ["main.tf"]
    assert not Path(said[0].split()[1].removeprefix("-out=")).parent.exists()
    assert not [each for each in SENSITIVE if each in ran.out + ran.err]


def test_nobody_is_there_to_make_one(root: Path) -> None:
    ran = preview(root, "--run")
    assert (ran.code, "neither `tofu` nor `terraform` is there" in ran.err) == (2, True)


def test_of_both_it_is_the_one_that_was_initialised(root: Path) -> None:
    install(root)
    install(root, "terraform")
    lock = 'provider "registry.terraform.io/hashicorp/aws" {\n  version = "5.100.0"\n}\n'
    (root / ".terraform.lock.hcl").write_text(lock, encoding="utf-8")
    assert "`terraform plan" in preview(root).err
    (root / ".terraform.lock.hcl").write_text(lock.replace("terraform.io", "opentofu.org"), encoding="utf-8")
    assert "`tofu plan" in preview(root).err


def test_a_plan_that_fails_ends_with_its_own_words(root: Path) -> None:
    install(root, does="exit 1")
    ran = preview(root, "--run")
    assert ran.code == 2
    assert "`tofu plan` ended with 1" in ran.err
    assert "(`tofu init`)" in ran.err
    assert SENSITIVE[0] not in ran.err


def test_one_that_takes_too_long_is_stopped(root: Path) -> None:
    install(root, does="sleep 60")
    ran = preview(root, "--run", "--timeout", "0.5")
    assert (ran.code, "was stopped after 0.5 s" in ran.err) == (2, True)


def test_a_project_of_pulumi_is_none(root: Path) -> None:
    (root / "Pulumi.yaml").write_text("name: x\nruntime: python\n", encoding="utf-8")
    assert "root of Terraform" not in preview(root).err
