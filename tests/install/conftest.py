"""What the tests of installations share: a wheel and an sdist of this tree, and wheels of what they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.architecture.tree import copy
from tests.case_files import whole
from tests.install import wheelhouse

# What is packed is made of these; the sdist holds no more.
SOURCES = ("nodeworthy", "share", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md")


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheelhouse.fill(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel and an sdist, as hatchling builds them from a clean tree."""
    sources = copy(tmp_path_factory.mktemp("sources"), *SOURCES)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build"], cwd=sources, check=True, capture_output=True, timeout=300
    )
    return sources / "dist"


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="session")
def sdist(built: Path) -> Path:
    return next(built.glob("*.tar.gz"))


class Incident(NamedTuple):
    """Two folders of files: as they were, and repaired."""

    bad: Path
    good: Path


@pytest.fixture(scope="session")
def incident() -> Incident:
    return Incident(whole("containerd-paths/bad-source-incident"), whole("containerd-paths/good-source-incident-fixed"))
