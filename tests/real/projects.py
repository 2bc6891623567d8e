"""Pulumi projects for the tests: the platform of `infra/` with another fleet, or a small program of their own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
STACK = "dev"
# What the stacks of this repository keep encrypted.
SECRETS = ("grafanaPassword", "queuePassword", "registryToken")
SHAPES = Path(__file__).resolve().parent / "programs" / "shapes"


def platform(folder: Path, config: Mapping[str, Any]) -> Path:
    """The platform's own program, whose stack `dev` has this config."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "infra", folder / "infra", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    return _with_stack(folder, config)


def ours(folder: Path) -> Path:
    """The platform with the stacks of this repository, letter by letter."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "infra", folder / "infra", ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.glob("Pulumi*.yaml"):
        shutil.copy(file, folder)
    return folder


def started_warm(project: Path, python: str) -> Path:
    """The project, whose virtual environment is an interpreter that has imported already what programs import."""
    inside = project / ".venv" / "bin"
    inside.mkdir(parents=True)
    (inside / "python").symlink_to(python)
    return project


def copied(project: Path, folder: Path) -> Path:
    return shutil.copytree(project, folder, ignore=shutil.ignore_patterns("__pycache__"))


def shapes(folder: Path, config: Mapping[str, Any]) -> Path:
    """A program with one of every shape that inputs can have."""
    shutil.copytree(SHAPES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return _with_stack(folder, config)


def _with_stack(folder: Path, config: Mapping[str, Any]) -> Path:
    text = yaml.safe_dump({"config": dict(config)}, sort_keys=False)
    (folder / f"Pulumi.{STACK}.yaml").write_text(text, encoding="utf-8")
    return folder


def fleet(pools: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Config with a fleet of these pools, whose operator gets these values beside the implied ones."""
    operator = {"operator": {"values": values}} if values is not None else {}
    return {
        "aws:region": "us-east-2",
        "nodeworthy:fleet": {"cluster": {"name": "gpu-dev"}, **operator, "pools": dict(pools)},
    }
