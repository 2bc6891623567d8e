"""What is written as JSON is what the shipped schema promises, for reports of every kind, the empty ones included."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from nodeworthy.own_rules.cases import Case
from nodeworthy.report.json import as_data
from nodeworthy.report.report import ReportOptions
from tests.by_day import some
from tests.case_files import every_case, whole
from tests.report.reports import judged, report
from tests.run import Ran, run_json

ROOT = Path(__file__).parents[2]
# Cases of other moments have a `cmd` of their own; one of each is enough here, they are slower.
OF_FILES = [case for case in every_case() if case.typed == Case.typed]
COMMANDS = sorted({case.command[0]: case for case in every_case() if case.typed != Case.typed}.items())

SCHEMA: dict[str, Any] = json.loads(files("nodeworthy.report").joinpath("report.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

SUPPRESSED = """\
toolkit:
  env:
    - name: CONTAINERD_SOCKET
      value: relative.sock  # nodeworthy: ignore toolkit-env-wellformed the wrapper makes it absolute
"""


def validated(ran: Ran) -> dict[str, Any]:
    VALIDATOR.validate(ran.report)
    return ran.report


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", some(OF_FILES, 25, lambda case: case.id))
def test_every_case_of_files(case: Case, tmp_path: Path) -> None:
    alone = case.lay_out(tmp_path / case.name)
    assert validated(run_json("check", ".", "--show-passed", cwd=alone))["findings"]


@pytest.mark.parametrize(("command", "case"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_a_case_of_every_other_command(command: str, case: Case, tmp_path: Path) -> None:
    assert case.command[0] == command
    alone = case.lay_out(tmp_path / case.name)
    validated(run_json(*case.command, "--show-passed", cwd=alone))


def test_an_empty_folder(tmp_path: Path) -> None:
    ran = run_json("check", ".", cwd=tmp_path)
    assert validated(ran)["evaluated"]["verdicts"] == 0
    assert ran.code == 3


def test_an_empty_dump(tmp_path: Path) -> None:
    ran = run_json("diagnose", "--from", ".", cwd=tmp_path)
    assert "looked-at" in {found["rule"] for found in validated(ran)["findings"]}
    assert ran.code == 3


@pytest.mark.parametrize("options", [(), ("--no-simulate",)], ids=["simulated", "plain"])
def test_a_plan(options: tuple[str, ...]) -> None:
    report = validated(run_json("preview", "--stack", "ci", "--show-passed", *options, cwd=ROOT))
    assert report["moment"] == "plan"
    assert report["evaluated"]["verdicts"] > 0


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text("toolkit: {env: [\n")
    ran = run_json("check", ".", cwd=tmp_path)
    assert [found["rule"] for found in validated(ran)["findings"]] == ["input-readable"]


def test_a_suppressed_finding(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(SUPPRESSED)
    report = validated(run_json("check", ".", cwd=tmp_path))
    assert report["summary"]["suppressed"] == 1
    assert [found["suppressed"] for found in report["findings"]] == [True]


def test_it_is_written_to_a_file_as_it_is_printed(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(SUPPRESSED)
    printed = run_json("check", ".", cwd=tmp_path)
    written = run_json("check", ".", "--output", "report.out", cwd=tmp_path)
    assert written.out == ""
    assert (tmp_path / "report.out").read_text(encoding="utf-8") == printed.out


SPOILT = [
    ("an unknown verdict", ("findings", 0, "verdict"), "maybe"),
    ("an unknown member of a finding", ("findings", 0, "colour"), "red"),
    ("a place that is a sentence", ("findings", 0, "where"), "over there"),
    ("a line before the first", ("findings", 0, "where", "line"), 0),
    ("a negative count", ("summary", "fail"), -1),
    ("another schema", ("schema",), "nodeworthy/report/v2"),
    ("a moment that there is not", ("moment",), "dawn"),
    ("a related place that says nothing", ("findings", 0, "related"), [{"path": "a.yaml"}]),
]


@pytest.mark.parametrize(("path", "value"), [spoilt[1:] for spoilt in SPOILT], ids=[spoilt[0] for spoilt in SPOILT])
def test_the_schema_refuses(path: tuple[str | int, ...], value: object, tmp_path: Path) -> None:
    incident = shutil.copytree(whole("containerd-paths/bad-source-incident"), tmp_path / "incident")
    report = copy.deepcopy(validated(run_json("check", ".", cwd=incident)))
    *above, last = path
    inner: Any = report
    for name in above:
        inner = inner[name]
    inner[last] = value
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(report)


def test_a_check_that_was_skipped_stands_with_the_verdict_and_where_skips_are_asked_for_alone() -> None:
    made = report(replace(judged(), also_skipped=("it has no zone",)), judged(why="there is no fleet"))
    passed, skipped = as_data(made, ReportOptions(show_passed=True))["findings"]
    assert (passed["verdict"], passed["skipped"]) == ("pass", ["it has no zone"])
    assert (skipped["verdict"], skipped["cause"]) == ("skip", "there is no fleet")
    told = as_data(made, ReportOptions(show_skipped=True))["findings"]
    assert [(each["verdict"], each["cause"]) for each in told] == [
        ("skip", "it has no zone"),
        ("skip", "there is no fleet"),
    ]
