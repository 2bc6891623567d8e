"""Every format of every command that judges: on standard output, in a file, and beside another."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from nodeworthy.commands.judging import FORMATS
from nodeworthy.own_rules.cases import Case
from tests.case_files import every_case, whole
from tests.run import run

INCIDENT = whole("containerd-paths/bad-source-incident")
COMMANDS = sorted({case.command[0]: case for case in every_case() if case.kind == "bad"}.items())
BEGINS = {
    "json": "{",
    "sarif": '{"$schema"',
    "junit": "<?xml",
    "github": "::",
    "markdown": "<!-- nodeworthy ",
    "html": "<!doctype html>",
    "prometheus": "# HELP nodeworthy_",
    "text": "",
}


@pytest.mark.parametrize(("command", "case"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_of_every_command(command: str, case: Case, tmp_path: Path) -> None:
    assert case.command[0] == command
    ran = run(*case.command, *(f"--also={form}={tmp_path / form}" for form in FORMATS), cwd=whole(case.id))
    assert ran.code == 1, ran.err
    for form in FORMATS:
        written = (tmp_path / form).read_text(encoding="utf-8")
        assert written.startswith(BEGINS[form])
        assert case.rule in written


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_holds_what_would_be_printed(form: str, tmp_path: Path) -> None:
    printed = run("check", ".", "--format", form, cwd=INCIDENT)
    written = run("check", ".", "--format", form, "--output", str(tmp_path / "report"), cwd=INCIDENT)
    assert (written.out, written.code) == ("", 1)
    assert (tmp_path / "report").read_text(encoding="utf-8") == printed.out


def test_one_run_writes_as_many_as_it_is_asked_for(tmp_path: Path) -> None:
    also = [f"--also={form}={tmp_path / form}" for form in FORMATS]
    ran = run("check", ".", "--format", "github", *also, cwd=INCIDENT)
    assert ran.code == 1
    for form in FORMATS:
        printed = run("check", ".", "--format", form, cwd=INCIDENT).out
        assert (tmp_path / form).read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("form", FORMATS)
def test_a_name_of_bytes_that_are_no_text(form: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"values\xff\x1b[31m\n::error::owned.yaml")
    try:
        shutil.copy(INCIDENT / "values.yaml", tmp_path / name)
    except OSError:
        pytest.skip("this file system takes no such name")
    shutil.copy(INCIDENT / "Pulumi.onprem.yaml", tmp_path)
    ran = run("check", ".", "--format", form, "--output", "report", cwd=tmp_path)
    assert ran.code == 1, ran.err
    written = (tmp_path / "report").read_text(encoding="utf-8")
    assert "containerd-paths" in written
    assert "\x1b" not in written
    assert "\n::error::owned" not in written


@pytest.mark.parametrize("wrong", ["sarif", "sarif=", "pdf=a.pdf", "=a"])
def test_a_format_and_a_file_or_a_sentence(wrong: str, tmp_path: Path) -> None:
    ran = run("check", ".", "--also", wrong, cwd=tmp_path)
    assert ran.code == 2
    assert f"{wrong!r} is not FORMAT=FILE" in ran.err


def test_a_runner_says_where_the_repository_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.setenv(name, str(INCIDENT.parents[1]))
        assert (
            "file=containerd-paths/bad-source-incident/values.yaml,"
            in run("check", ".", "--format", "github", cwd=INCIDENT).out
        )
        monkeypatch.setenv(name, "/nowhere")
        assert "file=values.yaml," in run("check", ".", "--format", "github", cwd=INCIDENT).out
        monkeypatch.delenv(name)
