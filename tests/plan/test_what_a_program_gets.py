"""A previewed program is a stranger's as often as not: what it is given, what it may say, and that nothing of it stays."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from nodeworthy.collect.plan.program import variables_for_program
from tests.plan.programs import inputs, preview, project

OF_GITHUB = {
    "GITHUB_TOKEN": "ghs_1",
    "GITHUB_ENV": "/runner/set_env",
    "GITHUB_OUTPUT": "/runner/set_output",
    "ACTIONS_RUNTIME_TOKEN": "eyJ",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "eyJ",
    "RUNNER_TEMP": "/runner/temp",
    "BASH_ENV": "/tmp/evil",
}
OF_OTHERS = (
    *("CI_JOB_TOKEN", "CI_REPOSITORY_URL", "CI_REGISTRY_PASSWORD", "CI_JOB_JWT_V2", "NODEWORTHY_TOKEN"),
    *("SYSTEM_ACCESSTOKEN", "BITBUCKET_STEP_OIDC_TOKEN", "BUILDKITE_AGENT_ACCESS_TOKEN", "CIRCLE_OIDC_TOKEN_V2"),
    *("PULUMI_ACCESS_TOKEN", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "GH_TOKEN"),
)
OF_AN_ACCOUNT = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE")
KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "CI",
    "CI_COMMIT_SHA",
    "AWS_REGION",
    "AWS_PROFILE",
    "PULUMI_NODEJS_X",
    "APP_TOKENS",
    "ENV",
)


def test_what_belongs_to_the_job_is_not_given() -> None:
    ours = dict.fromkeys((*OF_GITHUB, *OF_OTHERS, *OF_AN_ACCOUNT, *KEPT), "x")
    assert set(variables_for_program(ours)) == set(KEPT)
    assert set(variables_for_program({**ours, "CI": ""})) == {*KEPT, *OF_AN_ACCOUNT}, "at home it is one's own program"
    assert set(variables_for_program(ours, ["GITHUB_OUTPUT", "AWS_SESSION_TOKEN"])) == {
        *KEPT,
        "GITHUB_OUTPUT",
        "AWS_SESSION_TOKEN",
    }


def test_a_program_sees_none_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os\nThing('t', {'seen': sorted(n for n in os.environ if n.startswith(('GITHUB_', 'ACTIONS_', 'RUNNER_', 'BASH_')))})\n"
    for name, value in OF_GITHUB.items():
        monkeypatch.setenv(name, value)
    ran = preview(project(tmp_path, program), "--no-simulate")
    assert inputs(ran) == {"t": {"seen": []}}
    ran = preview(tmp_path, "--no-simulate", "--pass-env", "GITHUB_ENV")
    assert inputs(ran) == {"t": {"seen": ["GITHUB_ENV"]}}


DAEMON = """
import os, sys, time
Thing("t")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open("daemon.pid", "w") as file:
            file.write(str(os.getpid()))
        devnull = os.open(os.devnull, os.O_RDWR)
        for each in (0, 1, 2):
            os.dup2(devnull, each)
        time.sleep(120)
    os._exit(0)
while not os.path.exists("daemon.pid") or not open("daemon.pid").read():
    time.sleep(0.01)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells whose children outlive them")
def test_a_daemon_that_a_program_leaves_behind_is_ended(tmp_path: Path) -> None:
    preview(project(tmp_path, DAEMON), "--no-simulate")
    daemon = int((tmp_path / "daemon.pid").read_text())
    try:
        assert not _lives(daemon)
    finally:
        with suppress(ProcessLookupError):
            os.kill(daemon, signal.SIGKILL)


def _lives(process: int) -> bool:
    until = time.monotonic() + 1
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.02)
    return True


LOUD = """
Thing("t")
line = "x" * 65_535 + "\\n"
for _ in range(1600):
    print(line, end="")
"""


def test_a_program_that_prints_without_end_is_heard_up_to_a_bound(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, LOUD), "--no-simulate")
    assert len(ran.err) < 2_100_000
    assert ran.err.count("the program says more than 2,000,000 characters; the rest is left out") == 1
    assert set(inputs(ran)) == {"t"}
