"""A wheel and an sdist, installed where nothing else is: they bring what they need, and judge."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT
from tests.install import wheelhouse
from tests.install.conftest import Incident

EXTRA = re.compile(r"nodeworthy\[(?P<names>[a-z,]+)\]|'\.\[(?P<local>[a-z,]+)\]'")


def installed(what: Path, wheels: Path, folder: Path) -> Path:
    """A clean environment with this in it, its dependencies chosen by pip itself."""
    venv.create(folder / "venv", symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "venv" / "bin" / "python")]
    told = subprocess.run(
        [*pip, "install", "--quiet", str(what)],
        env=wheelhouse.environment(wheels, folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    return folder / "venv"


def judged(program: list[str], folder: Path, home: Path, wheels: Path) -> subprocess.CompletedProcess[str]:
    environment = wheelhouse.environment(wheels, home)
    return subprocess.run(
        [*program, "check", "."],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_installs_by_itself_and_judges(
    kind: str, wheels: Path, incident: Incident, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    place = installed(request.getfixturevalue(kind), wheels, tmp_path)
    program = [str(place / "bin" / "nodeworthy")]
    told = judged(program, incident.bad, tmp_path, wheels)
    assert (told.returncode, "containerd-paths" in told.stdout) == (1, True), told.stderr
    assert judged(program, incident.good, tmp_path, wheels).returncode == 0
    shared = {path.relative_to(place).as_posix() for path in (place / "share").rglob("*") if path.is_file()}
    assert shared >= {
        "share/man/man1/nodeworthy.1",
        "share/man/man1/nodeworthy-check.1",
        "share/nodeworthy/prometheus/nodeworthy.rules.yaml",
        "share/bash-completion/completions/nodeworthy",
        "share/zsh/site-functions/_nodeworthy",
        "share/fish/vendor_completions.d/nodeworthy.fish",
    }


def test_uvx_runs_the_wheel(wheel: Path, wheels: Path, incident: Incident, tmp_path: Path) -> None:
    uvx = [sys.executable, "-m", "uv", "tool", "run", "--python", sys.executable, "--from", str(wheel), "nodeworthy"]
    told = judged(uvx, incident.bad, tmp_path, wheels)
    assert (told.returncode, "containerd-paths" in told.stdout) == (1, True), told.stderr
    assert judged(uvx, incident.good, tmp_path, wheels).returncode == 0


def test_the_sdist_has_what_the_wheel_is_built_from_and_nothing_else(sdist: Path) -> None:
    with tarfile.open(sdist) as packed:
        names = {name.split("/", 1)[1] for name in packed.getnames()}
    top = {name.split("/")[0] for name in names}
    # hatchling adds PKG-INFO, and .gitignore where there is one.
    assert top - {"PKG-INFO", ".gitignore"} == {
        "nodeworthy",
        "share",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "pyproject.toml",
    }
    assert {name for name in names if name.endswith(".pyc")} == set()


def test_an_extra_that_is_named_anywhere_exists(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        name = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        offered = set(Parser().parsestr(packed.read(name).decode()).get_all("Provides-Extra", []))
    assert offered >= {"pulumi", "aws", "cluster", "nodes", "all"}
    texts = [
        ROOT / "README.md",
        ROOT / "action.yml",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "nodeworthy").rglob("*.py"),
    ]
    named = {
        extra: path.name
        for path in texts
        for found in EXTRA.finditer(path.read_text(encoding="utf-8"))
        for extra in (found["names"] or found["local"]).split(",")
    }
    assert named
    assert {extra: where for extra, where in named.items() if extra not in offered} == {}
