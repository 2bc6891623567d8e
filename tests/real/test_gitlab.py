"""What the page says for GitLab, run by hand: the job's own lines, against a stand-in for GitLab's API."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.case_files import whole

from .api import Api
from .daemon import PATIENCE
from .tools import Tools

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "pull-requests.md").read_text(encoding="utf-8")
TOKEN, ME = "a-token-of-a-test", 7
NOTES = "/projects/5/merge_requests/3/notes"


def shown(name: str) -> str:
    found = re.search(rf"^```yaml {re.escape(name)}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@dataclass
class MergeRequest:
    notes: list[dict[str, Any]] = field(default_factory=list)
    written: list[str] = field(default_factory=list)

    def answer(self, method: str, path: str, headers: Mapping[str, str], told: dict[str, Any]) -> tuple[int, Any]:
        if headers.get("PRIVATE-TOKEN") != TOKEN:
            return 401, {}
        if path == "/user":
            return 200, {"id": ME}
        assert path.startswith(NOTES)
        if method == "GET":
            return 200, self.notes
        self.written.append(method)
        if method == "PUT":
            self.notes[int(path.rpartition("/")[2]) - 1]["body"] = told["body"]
        else:
            self.say(ME, told["body"])
        return 201, {}

    def say(self, author: int, body: str) -> None:
        self.notes.append({"id": len(self.notes) + 1, "author": {"id": author}, "body": body})


def run_job(folder: Path, api: str, token: str) -> int:
    """The script's lines with `check .` for the preview, then those that follow whatever became of it."""
    pipeline = yaml.safe_load(shown(".gitlab-ci.yml"))
    job, comment = pipeline["nodeworthy"], pipeline["nodeworthy-comment"]
    assert "NODEWORTHY_TOKEN" not in str(job), "the program's job has no token, and its environment none to give"
    assert ("environment" in job, comment["environment"]["name"]) == (False, "nodeworthy")
    told = {"CI_API_V4_URL": api, "CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "3"}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, **told, "PATH": path}
    codes = []
    for lines in (*job["script"], *job["after_script"], *comment["script"]):
        environment |= {"NODEWORTHY_TOKEN": token} if lines in comment["script"] else {}
        command = ["sh", "-eu", "-c", lines.replace('preview --stack "$STACK"', "check .")]
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        codes.append(ran.returncode)
    assert codes[1:] == [0, 0]
    return codes[0]


@pytest.fixture(autouse=True)
def programs(tools: Tools) -> None:
    for name in ("sh", "curl", "jq"):
        tools.path(name)


def test_one_comment_is_made_and_then_changed(tmp_path: Path) -> None:
    merge_request = MergeRequest()
    merge_request.say(8, "<!-- nodeworthy source  -->\nbuy this")
    with Api(merge_request.answer) as api:
        folder = shutil.copytree(whole("containerd-paths/bad-source-incident"), tmp_path / "project")
        assert run_job(folder, api.url, TOKEN) == 1
        assert "2 failures in the source" in merge_request.notes[1]["body"]
        shutil.copy(whole("containerd-paths/good-source-incident-fixed") / "values.yaml", folder)
        assert run_job(folder, api.url, TOKEN) == 0
    assert merge_request.written == ["POST", "PUT"]
    assert "clean in the source" in merge_request.notes[1]["body"]
    assert "buy this" in merge_request.notes[0]["body"]


def test_lines_are_annotated_without_a_token(tmp_path: Path) -> None:
    folder = shutil.copytree(whole("containerd-paths/bad-source-incident"), tmp_path / "project")
    assert run_job(folder, "http://127.0.0.1:9", "") == 1
    told = json.loads((folder / "nodeworthy.codequality.json").read_text(encoding="utf-8"))
    assert {each["check_name"] for each in told} == {"containerd-paths"}
    assert {(each["location"]["path"], each["location"]["lines"]["begin"]) for each in told} == {("values.yaml", 8)}
    assert len({each["fingerprint"] for each in told}) == len(told)
    assert {each["severity"] for each in told} == {"major"}


def test_the_workflow_of_the_page_gives_the_action_what_it_takes(tools: Tools, tmp_path: Path) -> None:
    workflow = shown(".github/workflows/gpu-nodes.yml")
    steps = yaml.safe_load(workflow)["jobs"]["preview"]["steps"]
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (step,) = (each for each in steps if "nodeworthy" in each["uses"])
    assert set(step["with"]) <= set(action["inputs"])
    comment = yaml.safe_load((ROOT / "comment" / "action.yml").read_text(encoding="utf-8"))
    (writing,) = (each for each in yaml.safe_load(workflow)["jobs"]["comment"]["steps"] if "nodeworthy" in each["uses"])
    assert writing["with"] == {"artifact": step["with"]["artifact"]}
    told = PAGE[PAGE.index("`comment` takes") :].split(".")[0]
    assert all(f"`{name}`" in told for name in comment["inputs"])
    rows = re.findall(r"^\| (`[^|]+`) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == set(action["inputs"])
    file = tmp_path / "workflow.yml"
    file.write_text(workflow, encoding="utf-8")
    ran = subprocess.run(
        [tools.path("actionlint"), file], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ran.returncode == 0, ran.stdout
