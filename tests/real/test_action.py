"""The action's own steps, run by hand against a stand-in for GitHub's API."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.case_files import whole

from .api import Api
from .daemon import PATIENCE
from .github import OURS, TOKEN, PullRequest
from .tools import Tools

ROOT = Path(__file__).resolve().parents[2]
STEPS = ROOT / ".github" / "action"
NODEWORTHY = Path(sys.executable).parent / "nodeworthy"


@dataclass
class Job:
    """One run of the action: the steps share a folder, as the runner gives them one."""

    folder: Path
    api: str
    stack: str = ""
    check: str = "."
    token: str = TOKEN
    number: str = "7"
    settings: str = "auto"
    fork: str = "false"

    def step(self, name: str, **more: str) -> subprocess.CompletedProcess[str]:
        self._runner.mkdir(exist_ok=True)
        told = {
            "STACK": self.stack,
            "CHECK": self.check,
            "ARGUMENTS": "",
            "NODEWORTHY": str(NODEWORTHY),
            "KEPT": str(self.reports),
            "GITHUB_OUTPUT": str(self._runner / "output"),
            "GITHUB_STEP_SUMMARY": str(self._runner / "summary"),
            "GITHUB_API_URL": self.api,
            "GITHUB_REPOSITORY": "acme/gpu",
            "NUMBER": self.number,
            "TOKEN": self.token,
            "SETTINGS": self.settings,
            "FORK": self.fork,
            "AUTHOR": OURS,
            "KEY": f". {self.stack} {self.check}",
            "GITHUB_WORKSPACE": str(self.folder),
            **more,
        }
        return subprocess.run(
            [STEPS / name],
            cwd=self.folder,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    @property
    def _runner(self) -> Path:
        return self.folder.parent / f"{self.folder.name}.runner"

    @property
    def reports(self) -> Path:
        return self._runner / "reports"

    @property
    def output(self) -> str:
        return (self._runner / "output").read_text(encoding="utf-8")

    @property
    def summary(self) -> str:
        return (self._runner / "summary").read_text(encoding="utf-8")

    def run(self) -> tuple[int, str]:
        """All steps, and what the last of them ends with."""
        (self._runner / "summary").unlink(missing_ok=True)
        judged = self.step("judge.sh")
        assert judged.returncode == 0, judged.stderr
        commented = self.step("comment.sh")
        assert commented.returncode == 0, commented.stderr
        code = re.findall(r"^exit-code=(\d+)$", self.output, re.MULTILINE)[-1]
        ended = self.step("end.sh", EXIT_CODE=code)
        return ended.returncode, judged.stdout + commented.stdout


@pytest.fixture(autouse=True)
def programs(tools: Tools) -> None:
    for name in ("bash", "curl", "jq"):
        tools.path(name)


def files_of(case: str, folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return shutil.copytree(whole(f"containerd-paths/{case}"), folder)


def test_one_comment_is_made_and_then_changed(tmp_path: Path) -> None:
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        job = Job(files_of("bad-source-incident", tmp_path / "project"), github.url)
        code, printed = job.run()
        assert code == 1
        assert "::error file=values.yaml,line=8,col=3,title=containerd-paths::" in printed
        (first,) = pull_request.ours
        assert "2 failures in the source" in first
        assert "2 failures in the source" in job.summary

        files_of("good-source-incident-fixed", tmp_path / "project")
        code, _ = job.run()
    assert code == 0
    (second,) = pull_request.ours
    assert "clean in the source" in second
    assert pull_request.written == ["POST", "PATCH"]


def test_a_preview_shows_the_plan_and_the_fleet(tmp_path: Path) -> None:
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        job = Job(ROOT, github.url, stack="ci", check="Pulumi.ci.yaml")
        job = _elsewhere(job, tmp_path)
        code, _ = job.run()
    assert code == 0
    (body,) = pull_request.ours
    assert "clean in the plan of `stack ci of gpu-nodes`" in body
    assert "clean in the source" in body
    assert "infra/pools.py" in body
    assert "▣ a GPU of a node for profiling" in body


def _elsewhere(job: Job, folder: Path) -> Job:
    for name in ("infra", "userdata"):
        shutil.copytree(ROOT / name, folder / "project" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.glob("Pulumi*.yaml"):
        shutil.copy(file, folder / "project")
    job.folder = folder / "project"
    return job


def test_another_ones_comment_is_left_alone_and_ours_is_found_behind_many(tmp_path: Path) -> None:
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        job = Job(files_of("bad-source-incident", tmp_path / "project"), github.url)
        pull_request.said("mallory", "<!-- nodeworthy: .-. -->\nbuy this")
        pull_request.said(OURS, "the word of another action")
        for number in range(150):
            pull_request.said("alice", f"comment {number}")
        job.run()
        job.run()
    assert pull_request.written == ["POST", "PATCH"]
    assert pull_request.comments[0]["body"].endswith("buy this")
    assert pull_request.ours[0] == "the word of another action"


@pytest.mark.parametrize("status", [403, 404])
def test_a_fork_gets_it_in_the_summary(status: int, tmp_path: Path) -> None:
    pull_request = PullRequest(refuses=status)
    with Api(pull_request.answer) as github:
        job = Job(files_of("bad-source-incident", tmp_path / "project"), github.url)
        code, printed = job.run()
    assert code == 1
    assert "2 failures in the source" in job.summary
    assert "this run may not write one, as with a fork's" in job.summary
    assert "::notice title=nodeworthy::There is no comment on this pull request" in printed


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"token": ""}, "no token was given"),
        ({"token": "expired"}, "this run may not write one"),
        ({"api": "http://127.0.0.1:9"}, "GitHub answered 000"),
        ({"number": ""}, ""),
    ],
)
def test_without_a_comment_the_verdict_is_the_same(changed: dict[str, str], says: str, tmp_path: Path) -> None:
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        told = {"api": github.url, **changed}
        job = Job(files_of("bad-source-incident", tmp_path / "project"), **told)
        code, _ = job.run()
    assert code == 1
    assert pull_request.written == []
    assert says in job.summary
    assert "2 failures in the source" in job.summary


def test_a_program_that_can_not_be_run_is_told_and_gives_the_runner_no_commands(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: gpu\nruntime: python\n")
    (project / "Pulumi.dev.yaml").write_text("config: {}\n")
    evil = "print('::error file=x::owned'); raise SystemExit('```\\n</details> @everyone')"
    (project / "__main__.py").write_text(evil)
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        code, printed = Job(project, github.url, stack="dev", check="").run()
    assert code == 2
    # Twice over: nothing that begins a line is a command, and the runner listens to none meanwhile.
    assert re.search(r"^::stop-commands::(\w+)\n:\\:error file=x::owned\n(.*\n)*::\1::$", printed, re.MULTILINE)
    assert not re.search(r"^::error", printed, re.MULTILINE)
    (body,) = pull_request.ours
    assert "the preview could not be run (exit code 2)" in body
    behind = body[body.index("could not be run") :].splitlines()[2:]
    assert any("</details> @everyone" in line for line in behind)
    assert all(line.startswith("    ") for line in behind if line)


def test_two_reports_that_are_too_long_for_one_comment(tmp_path: Path) -> None:
    pull_request = PullRequest()
    with Api(pull_request.answer) as github:
        job = Job(files_of("bad-source-incident", tmp_path / "project"), github.url)
        job.step("judge.sh")
        reports = tmp_path / "project.runner" / "reports"
        (reports / "preview.markdown").write_text("■" * 65_000)
        (reports / "check.markdown").write_text("the end of the check\n" * 2000)
        assert job.step("comment.sh").returncode == 0
    (body,) = pull_request.ours
    assert "There is no room left here for the check" in body
    assert "the end of the check" not in body


def test_nothing_named_is_a_usage_error(tmp_path: Path) -> None:
    job = Job(files_of("bad-source-incident", tmp_path / "project"), "http://127.0.0.1:9", check="", number="")
    code, printed = job.run()
    assert code == 2
    assert "name a stack to preview, or files to check" in printed


def steps_of(action: str, kind: str) -> list[dict[str, Any]]:
    read = yaml.safe_load((ROOT / action).read_text(encoding="utf-8"))
    return [each for each in read["runs"]["steps"] if kind in each]


def test_code_scanning_is_sent_what_was_kept_where_it_was_asked_for(tmp_path: Path) -> None:
    job = Job(files_of("bad-source-incident", tmp_path / "project"), "http://127.0.0.1:9", number="")
    job.run()
    assert job.step("found.sh").returncode == 0
    assert job.output.splitlines()[-1] == "check=true"
    sent = [each for each in steps_of("comment/action.yml", "uses") if "sarif_file" in each["with"]]
    assert [each["if"] for each in sent] == [f"steps.found.outputs.{name} == 'true'" for name in ("preview", "check")]
    of_preview, of_check = (Path(each["with"]["sarif_file"]).name for each in sent)
    assert of_preview == "preview.sarif"
    assert json.loads((job.reports / of_check).read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert all(each["continue-on-error"] is True for each in sent), "a fork's token may not"


OWN_RULE = "from pathlib import Path\nPath('ran').touch()\nfrom nodeworthy.rule import Rule\nRULE = Rule('x-y', title='X', remedy='y')\n"


@pytest.mark.parametrize(
    ("settings", "fork", "code", "ran"),
    [
        ("auto", "false", 2, False),
        ("auto", "", 2, False),
        ("auto", "true", 0, False),
        ("false", "false", 0, False),
        ("true", "true", 3, True),
    ],
)
def test_rules_of_the_checkout_run_only_where_the_workflow_says_so(
    settings: str, fork: str, code: int, ran: bool, tmp_path: Path
) -> None:
    project = files_of("good-source-incident-fixed", tmp_path / "project")
    (project / "rules").mkdir()
    (project / "rules" / "x_y.py").write_text(OWN_RULE)
    (project / ".nodeworthy.yaml").write_text("rules: rules\n")
    job = Job(project, "http://127.0.0.1:9", number="", settings=settings, fork=fork)
    ended, printed = job.run()
    assert (ended, (project / "ran").exists()) == (code, ran), printed
    assert ("--no-own-rules runs none" in printed) == (code == 2)


def test_settings_that_are_no_code_hold_for_who_may_push_and_not_for_a_fork(tmp_path: Path) -> None:
    project = files_of("bad-source-incident", tmp_path / "project")
    (project / ".nodeworthy.yaml").write_text("exclude: [values.yaml]\n")
    for fork, code in (("false", 0), ("true", 1)):
        assert Job(project, "http://127.0.0.1:9", number="", fork=fork).run()[0] == code


def test_a_program_of_the_pull_request_shares_no_job_with_what_writes() -> None:
    """In its own job the action has no step with a token that runs behind a preview, or behind rules of the checkout."""
    steps = steps_of("action.yml", "name")
    names = [each["name"] for each in steps]
    with_token = [each for each in steps if "TOKEN" in each.get("env", {}) or "upload-sarif" in each.get("uses", "")]
    assert [each["name"] for each in with_token] == ["Comment"]
    assert "inputs.stack == ''" in with_token[0]["if"]
    assert "inputs.settings != 'true'" in with_token[0]["if"]
    assert names.index("Judge") < names.index("Hand over the reports") < names.index("End")
    workflow = yaml.safe_load((ROOT / ".github/workflows/pull-request.yml").read_text(encoding="utf-8"))
    for job in workflow["jobs"].values():
        may_write = "write" in str(job.get("permissions", ""))
        runs_its_code = any(each.get("uses") == "./" or "run" in each for each in job["steps"])
        assert may_write != runs_its_code
        if may_write:
            assert job["steps"][0]["with"]["ref"] == "${{ github.event.pull_request.base.sha }}"


USES = re.compile(r"^\s*(?:- )?uses: (?P<action>\S+)(?P<behind>.*)$", re.MULTILINE)


def test_every_action_is_pinned_to_a_commit() -> None:
    files = [ROOT / "action.yml", ROOT / "comment" / "action.yml", *(ROOT / ".github" / "workflows").glob("*.yml")]
    files += [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    used = [(path, *each) for path in files for each in USES.findall(path.read_text(encoding="utf-8"))]
    assert len(used) > 15
    pinned = re.compile(r"[\w/.-]+@[0-9a-f]{40}")
    loose = [each for each in used if not each[1].startswith("./") and not pinned.fullmatch(each[1])]
    assert loose == []
    unnamed = [
        each for each in used if not each[1].startswith("./") and not re.fullmatch(r" # v\d+\.\d+\.\d+", each[2])
    ]
    assert unnamed == []


def test_pages_take_it_from_the_owners_copy_at_a_commit() -> None:
    """Below `.venv`, where nobody looks for files to judge; a page that names somebody is somebody's."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    assert [name for name, text in pages.items() if "OWNER/" in text.replace("_OWNER/", "")] == []
    own = re.compile(
        r"uses: \S*?/checkout@\S+ # \S+\n +with:\n +repository: .*/nodeworthy\n +ref: COMMIT\n +path: (\S+)\n"
    )
    for name in ("terraform.md", "pull-requests.md"):
        used = re.findall(r"uses: \./(.*)", pages[name])
        assert used == [".venv/nodeworthy", ".venv/nodeworthy/comment"]
        assert own.findall(pages[name]) == [".venv/nodeworthy"] * len(used)


@pytest.mark.parametrize("action", ["action.yml", "comment/action.yml"])
def test_every_step_is_a_file_that_is_told_what_it_reads(action: str) -> None:
    given = {"RUNNER_TEMP"}
    for step in steps_of(action, "run"):
        called = re.fullmatch(r'"\$ACTION_PATH/(?:\.\./)?(\.github/action/\w+\.sh)"', step["run"])
        assert called, step["run"]
        text = (ROOT / called[1]).read_text(encoding="utf-8")
        own = set(re.findall(r"^([A-Z_]+)=", text, re.MULTILINE))
        read = {name for name in re.findall(r"\$\{?([A-Z][A-Z_]+)", text) if not name.startswith("GITHUB_")}
        assert read - own <= {*step["env"], *given}
        assert os.access(ROOT / called[1], os.X_OK)


def test_actionlint_and_shellcheck_have_nothing_to_say(tools: Tools) -> None:
    scripts = sorted(STEPS.glob("*.sh"))
    checks = ([str(tools.path("actionlint")), "-no-color"], [str(tools.path("shellcheck")), *map(str, scripts)])
    for command in checks:
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
