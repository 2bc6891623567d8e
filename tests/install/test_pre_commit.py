"""The hook through the real pre-commit, which clones this project, installs it, and stops a commit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from nodeworthy import __version__
from tests.architecture.tree import copy
from tests.install import wheelhouse
from tests.install.conftest import SOURCES, Incident


@dataclass(frozen=True)
class Repository:
    folder: Path
    environment: dict[str, str]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def must(self, *command: str) -> None:
        told = self.run(*command)
        assert told.returncode == 0, told.stdout + told.stderr

    def commit(self, **files: Path) -> subprocess.CompletedProcess[str]:
        """A commit of these files, as somebody makes it."""
        for name, source in files.items():
            shutil.copy(source, self.folder / name.replace("__", "."))
        self.must("git", "add", "--all")
        return self.run("git", "commit", "--quiet", "--message", "a change")


def new(folder: Path, environment: dict[str, str]) -> Repository:
    repository = Repository(folder, environment)
    repository.must("git", "init", "--quiet", "--initial-branch", "main")
    return repository


@pytest.fixture(scope="module")
def environment(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text("[user]\n\tname = Somebody\n\temail = somebody@example.org\n")
    return {**wheelhouse.environment(wheels, home), "PRE_COMMIT_HOME": str(home / "pre-commit")}


@pytest.fixture(scope="module")
def hooked(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository whose commits run the hook of this tree, as one sets it up."""
    ours = new(copy(tmp_path_factory.mktemp("ours"), *SOURCES, ".pre-commit-hooks.yaml"), environment)
    ours.must("git", "add", "--all")
    ours.must("git", "commit", "--quiet", "--message", "the hook")
    ours.must("git", "tag", f"v{__version__}")
    theirs = new(tmp_path_factory.mktemp("theirs"), environment)
    (theirs.folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {ours.folder}\n    rev: v{__version__}\n    hooks:\n      - id: nodeworthy\n"
    )
    theirs.must(sys.executable, "-m", "pre_commit", "install", "--install-hooks")
    return theirs


def test_a_commit_that_breaks_a_node_is_stopped_and_its_repair_goes_through(
    hooked: Repository, incident: Incident
) -> None:
    fleet = incident.bad / "Pulumi.onprem.yaml"
    stopped = hooked.commit(values__yaml=incident.bad / "values.yaml", Pulumi__onprem__yaml=fleet)
    said = stopped.stdout + stopped.stderr
    assert stopped.returncode == 1, said
    assert "values.yaml:" in said
    assert "containerd-paths" in said
    repaired = hooked.commit(values__yaml=incident.good / "values.yaml")
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    assert "Passed" in repaired.stdout + repaired.stderr


def test_a_commit_of_something_else_goes_through(hooked: Repository) -> None:
    (hooked.folder / "notes.txt").write_text("nothing of ours\n")
    assert hooked.commit().returncode == 0
