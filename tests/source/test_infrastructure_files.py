"""Where nodes are written, Terraform in both of its forms and CloudFormation in both of its, is a file like any other: what
is found there can be suppressed, adopted as a baseline, and told to GitHub and to an editor, at its own line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lsp.client import Editor
from tests.run import run, run_json

RULE = "instance-metadata-guarded"
WHY = f"nodeworthy: ignore {RULE} until the agent speaks IMDSv2"

HCL = """\
resource "aws_launch_template" "gpu" {
  image_id      = "ami-0a1b2c3d4e5f60718"
  instance_type = "g5.12xlarge"
  metadata_options {
    http_tokens = "optional"
    http_put_response_hop_limit = 2
  }
}
"""
TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Gpu:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: g5.12xlarge
        MetadataOptions:
          HttpTokens: optional
          HttpPutResponseHopLimit: 2
"""


def _json_of_terraform(note: str | None = None) -> str:
    template = {
        **({"//": note} if note else {}),
        "image_id": "ami-0a1b2c3d4e5f60718",
        "instance_type": "g5.12xlarge",
        "metadata_options": {"http_tokens": "optional", "http_put_response_hop_limit": 2},
    }
    return json.dumps({"resource": {"aws_launch_template": {"gpu": template}}}, indent=1)


def _json_of_cloudformation(note: str | None = None) -> str:
    options = {"HttpTokens": "optional", "HttpPutResponseHopLimit": 2}
    data = {"InstanceType": "g5.12xlarge", "MetadataOptions": options}
    template = {
        "Type": "AWS::EC2::LaunchTemplate",
        **({"Metadata": {"nodeworthy": note.removeprefix("nodeworthy: ")}} if note else {}),
        "Properties": {"LaunchTemplateData": data},
    }
    return json.dumps({"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"Gpu": template}}, indent=1)


# name: (the text, the line of its finding, the text with the finding suppressed)
FILES = {
    "main.tf": (HCL, 5, HCL.replace('"optional"', f'"optional" # {WHY}')),
    "main.tofu": (HCL, 5, HCL.replace("  metadata_options {", f"  metadata_options {{\n    // {WHY}")),
    "main.tf.json": (_json_of_terraform(), 8, _json_of_terraform(WHY)),
    "nodes.yaml": (TEMPLATE, 9, TEMPLATE.replace("optional", f"optional # {WHY}")),
    "nodes.json": (_json_of_cloudformation(), 10, _json_of_cloudformation(WHY)),
}
each_file = pytest.mark.parametrize("name", FILES)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@each_file
def test_it_is_found_at_its_line(here: Path, name: str) -> None:
    text, line, _ = FILES[name]
    (here / name).write_text(text, encoding="utf-8")
    (found,) = run_json("check", ".", "--rule", RULE).findings
    assert (found["where"]["path"], found["where"]["line"]) == (name, line)


@each_file
def test_it_is_suppressed_where_it_stands(here: Path, name: str) -> None:
    (here / name).write_text(FILES[name][2], encoding="utf-8")
    ran = run_json("check", ".", "--rule", RULE, "--strict")
    assert ran.code == 0, ran.out
    assert ran.report["summary"]["suppressed"] == 1


@each_file
def test_it_is_adopted_and_what_is_new_is_not(here: Path, name: str) -> None:
    text, _, _ = FILES[name]
    (here / name).write_text(text, encoding="utf-8")
    assert run("baseline", ".").code == 0
    assert run("check", ".", "--rule", RULE, "--strict").code == 0
    (here / name).write_text(text.replace("optional", "allowed"), encoding="utf-8")
    assert run("check", ".", "--rule", RULE, "--strict").code == 1


@each_file
def test_github_is_told_the_line(here: Path, name: str) -> None:
    text, line, _ = FILES[name]
    (here / name).write_text(text, encoding="utf-8")
    told = json.loads(run("check", ".", "--rule", RULE, "--format", "sarif").out)
    (result,) = told["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == (name, line)
    annotated = run("check", ".", "--rule", RULE, "--format", "github").out
    assert f"file={name},line={line}," in annotated


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    started = Editor(tmp_path_factory.mktemp("workspace"))
    yield started
    started.end()


@each_file
def test_an_editor_is_told_the_line(editor: Editor, name: str) -> None:
    text, line, _ = FILES[name]
    beside = f"of-{name}/{name}"
    (editor.root / beside).parent.mkdir()
    (editor.root / beside).write_text(text, encoding="utf-8")
    found = [each for each in editor.open(beside, text) if each["code"] == RULE]
    assert [each["range"]["start"]["line"] + 1 for each in found] == [line]
