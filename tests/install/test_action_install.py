"""The action's first step: nothing of the checkout is run, and nothing is installed but what the locks name."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, copy
from tests.install import wheelhouse
from tests.install.conftest import SOURCES

TRAP = "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\nraise SystemExit(7)\n"
# What a checkout may hold that a Python in it would take for a module of its own.
MODULES = (
    "venv",
    "pip",
    "ensurepip",
    "hatchling",
    "sitecustomize",
    "usercustomize",
    "sys",
    "site",
    "yaml",
    "encodings",
)


@pytest.fixture(scope="module")
def action(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Path:
    """The action's tree, with locks of the wheels that there are here."""
    tree = copy(tmp_path_factory.mktemp("action"), *SOURCES, ".github")
    (tree / "locks").mkdir(exist_ok=True)
    for name, wanted in (("check", ("pyyaml",)), ("build", wheelhouse.NEEDED)):
        lines = [_locked(wheel) for wheel in sorted(wheels.glob("*.whl")) if _name(wheel) in wanted]
        (tree / "locks" / f"{name}.txt").write_text("".join(lines))
    return tree


def _name(wheel: Path) -> str:
    return wheel.name.split("-")[0].replace("_", "-").lower()


def _locked(wheel: Path) -> str:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{_name(wheel)}=={wheel.name.split('-')[1]} --hash=sha256:{digest}\n"


def _checkout(folder: Path) -> Path:
    folder.mkdir()
    for name in MODULES:
        (folder / f"{name}.py").write_text(TRAP)
    (folder / "setup.py").write_text(TRAP)
    return folder


def _install(action: Path, checkout: Path, wheels: Path, **more: str) -> subprocess.CompletedProcess[str]:
    home = checkout.parent
    told = {"ACTION_PATH": str(action), "PYTHON": sys.executable, "REQUIREMENTS": "", "STACK": ""}
    return subprocess.run(
        [action / ".github" / "action" / "install.sh"],
        cwd=checkout,
        env={**wheelhouse.environment(wheels, home), **told, "RUNNER_TEMP": str(home / "runner"), **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_nothing_that_lies_in_the_checkout_is_run(action: Path, wheels: Path, tmp_path: Path) -> None:
    checkout = _checkout(tmp_path / "checkout")
    (checkout / "requirements.txt").write_text("./\n")
    # A second use of the action in one job finds what the first has made. Without a stack there is no program either.
    for requirements in ("", "requirements.txt"):
        ran = _install(action, checkout, wheels, REQUIREMENTS=requirements)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert [path.name for path in checkout.iterdir() if path.suffix not in (".py", ".txt")] == []
    program = tmp_path / "runner" / "nodeworthy" / "venv" / "bin" / "nodeworthy"
    told = subprocess.run([program, "rules"], cwd=checkout, capture_output=True, text=True, timeout=60, check=True)
    assert "containerd-paths" in told.stdout
    assert [path.name for path in checkout.iterdir() if path.suffix not in (".py", ".txt")] == []


@pytest.mark.long
def test_what_is_not_what_the_lock_names_is_not_installed(action: Path, wheels: Path, tmp_path: Path) -> None:
    other = shutil.copytree(action, tmp_path / "action")
    lock = other / "locks" / "check.txt"
    lock.write_text(lock.read_text().replace("--hash=sha256:", "--hash=sha256:0000")[:-5] + "\n")
    ran = _install(other, _checkout(tmp_path / "checkout"), wheels)
    assert ran.returncode != 0
    assert "DO NOT MATCH" in ran.stderr
    assert not (tmp_path / "runner" / "nodeworthy" / "venv" / "bin" / "nodeworthy").exists()


@pytest.mark.parametrize("name", ["check", "preview", "build"])
def test_the_locks_of_the_action_are_part_of_the_whole_one(name: str) -> None:
    everything = (ROOT / "locks" / "all.txt").read_text(encoding="utf-8")
    pinned = [
        line.split(" ")[0]
        for line in (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        if line[:1].isalpha()
    ]
    assert "hatchling==1.27.0" in pinned or any(each.startswith("pyyaml==") for each in pinned)
    assert [each for each in pinned if f"\n{each}" not in f"\n{everything}"] == []
