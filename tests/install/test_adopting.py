"""docs/adopt.md installs what is there: each of its lines of pip, run as it stands, with a clone in the place of GitHub."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path
from string import Template

import pytest

from nodeworthy import __version__
from tests.architecture.tree import ROOT, copy
from tests.install import wheelhouse
from tests.install.conftest import SOURCES, Incident

PAGE = (ROOT / "docs" / "adopt.md").read_text(encoding="utf-8")
LINES = re.findall(r"(?m)^(?:\$| +- run:) pip (install .*)$", PAGE)
# As GitHub tells a job; the copy that it names is the clone.
IN_A_JOB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY_OWNER": "somebody"}
REMOTE = "https://github.com/somebody/nodeworthy"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of this tree, with the tag of its version."""
    folder = copy(tmp_path_factory.mktemp("clone") / "nodeworthy", *SOURCES)
    who = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    for words in (
        ["init", "--quiet"],
        ["add", "."],
        [*who, "commit", "--quiet", "-m", "all"],
        ["tag", f"v{__version__}"],
    ):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=120)
    return folder


def test_there_are_lines() -> None:
    assert len(LINES) == 2


@pytest.mark.parametrize("line", dict.fromkeys(LINES))
def test_it_installs(line: str, clone: Path, wheels: Path, incident: Incident, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(tmp_path / "venv" / "bin" / "python")]
    instead = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{clone.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": REMOTE,
    }
    environment = {**wheelhouse.environment(wheels, tmp_path), **instead, "GIT_CONFIG_GLOBAL": os.devnull}
    told = subprocess.run(
        [*pip, *shlex.split(Template(line).substitute(IN_A_JOB))],
        cwd=clone.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    program = tmp_path / "venv" / "bin" / "nodeworthy"
    ran = subprocess.run(
        [program, "check", "."], cwd=incident.bad, env=environment, capture_output=True, timeout=300, check=False
    )
    assert (ran.returncode, b"containerd-paths" in ran.stdout) == (1, True)
