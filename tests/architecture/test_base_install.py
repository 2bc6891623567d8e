"""The base install: a wheel and PyYAML, and nothing else. What needs more says so in one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT, copy
from tests.case_files import whole

LIMIT = 60_000_000
# What the wheel is built from.
SOURCES = ("nodeworthy", "share", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


@dataclass(frozen=True)
class Base:
    folder: Path

    @property
    def size(self) -> int:
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file() and not file.is_symlink())

    def run(self, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        program = self.folder / "bin" / "nodeworthy"
        return subprocess.run(
            [program, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = copy(tmp_path_factory.mktemp("sources"), *SOURCES)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel"], cwd=sources, check=True, capture_output=True
    )
    return next((sources / "dist").glob("*.whl"))


@pytest.fixture(scope="session")
def base(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Base:
    """As `pip install nodeworthy` leaves it; PyYAML comes from this environment, so that no registry is asked."""
    folder = tmp_path_factory.mktemp("base") / "venv"
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True)
    _copy_installed("pyyaml", next(folder.glob("lib/python*/site-packages")))
    return Base(folder)


def _copy_installed(name: str, site_packages: Path) -> None:
    installed = distribution(name)
    for file in installed.files or ():
        source, destination = Path(str(installed.locate_file(file))), site_packages / file
        if ".." not in file.parts and source.exists():
            destination.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, destination)


def test_it_is_small(base: Base) -> None:
    assert base.size < LIMIT


def test_data_travels_with_the_code(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    source = {
        str(file.relative_to(ROOT)) for file in (ROOT / "nodeworthy").rglob("*") if file.suffix not in (".pyc", "")
    }
    assert {file for file in source if Path(file).is_relative_to("nodeworthy")} <= inside
    assert "nodeworthy/report/report.schema.json" in inside


def test_the_front_page(base: Base) -> None:
    told = base.run("--help")
    assert told.returncode == 0
    assert "check" in told.stdout


def test_check_judges(base: Base) -> None:
    case = whole("containerd-paths/bad-source-incident")
    told = base.run("check", ".", cwd=case)
    assert told.returncode == 1, told.stderr
    assert "containerd-paths" in told.stdout


@pytest.mark.parametrize("arguments", [("rules",), ("explain", "containerd-paths"), ("explain", "k8s-snap")])
def test_what_is_known_is_told(base: Base, arguments: tuple[str, ...]) -> None:
    told = base.run(*arguments)
    assert told.returncode == 0, told.stderr
    assert told.stdout


def test_the_fleet_is_resolved(base: Base) -> None:
    case = whole("containerd-paths/bad-source-incident")
    told = base.run("fleet", cwd=case)
    assert told.returncode == 0, told.stderr
    assert "onprem" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("preview", "--stack", "ci"), "pulumi"),
        (("node", "ssh://nowhere.invalid"), "nodes"),
        (("diagnose",), "cluster"),
    ],
    ids=["preview", "node", "diagnose"],
)
def test_what_needs_more_says_so_in_a_sentence(base: Base, arguments: tuple[str, ...], extra: str) -> None:
    told = base.run(*arguments)
    assert told.returncode == 2, told.stdout
    assert f"pip install 'nodeworthy[{extra}]'" in told.stderr
    assert len(told.stderr.splitlines()) == 1, told.stderr
    assert told.stdout == ""


def test_a_saved_cluster_needs_no_more(base: Base, tmp_path: Path) -> None:
    """A dump is files: whoever was sent one can read it with the base install."""
    told = base.run("diagnose", "--from", ".", cwd=tmp_path)
    assert "pip install" not in told.stderr
    assert told.returncode in (2, 3)
