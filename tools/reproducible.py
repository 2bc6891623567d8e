"""Builds the wheel and the sdist twice, in two places that differ, and takes them only where they are the same."""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from changelog import NotReady

# What must make no difference.
SURROUNDINGS = (
    {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"TZ": "Pacific/Auckland", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "2"},
)
UMASKS = (0o022, 0o077)


def build(tree: Path, epoch: int, into: Path) -> list[Path]:
    """The sdist and the wheel of this tree, in `into`."""
    with tempfile.TemporaryDirectory() as temporary:
        made = [
            _built(tree, epoch, Path(temporary, name), surroundings, umask)
            for name, surroundings, umask in zip(("one", "another-place"), SURROUNDINGS, UMASKS, strict=True)
        ]
        _same(*made)
        _same_wheel(made[0], _from_sdist(made[0], epoch, Path(temporary, "unpacked")))
        into.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(path, into / path.name)) for path in sorted(made[0].iterdir())]


def _built(tree: Path, epoch: int, place: Path, surroundings: dict[str, str], umask: int) -> Path:
    shutil.copytree(tree, place / "tree")
    _hatchling(place / "tree", place / "dist", epoch, surroundings, umask)
    return place / "dist"


def _from_sdist(dist: Path, epoch: int, place: Path) -> Path:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as packed:
        packed.extractall(place, filter="data")
    _hatchling(next(place.iterdir()), place / "dist", epoch, SURROUNDINGS[0], UMASKS[0], "--target", "wheel")
    return place / "dist"


def _hatchling(tree: Path, into: Path, epoch: int, surroundings: dict[str, str], umask: int, *options: str) -> None:
    environment = {**os.environ, **surroundings, "SOURCE_DATE_EPOCH": str(epoch)}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(into), *options]
    told = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, umask=umask, timeout=600, check=False
    )
    if told.returncode != 0:
        raise NotReady(f"hatchling could not build: {(told.stderr or told.stdout).strip()[-2000:]}")


def _same(one: Path, other: Path) -> None:
    for path in sorted(one.iterdir()):
        if digest(path) != digest(other / path.name):
            raise NotReady(f"{path.name} is another one in another place: the build is not reproducible")


def _same_wheel(dist: Path, from_sdist: Path) -> None:
    wheel = next(dist.glob("*.whl"))
    if digest(wheel) != digest(from_sdist / wheel.name):
        raise NotReady(f"{wheel.name} built from the sdist is not the one that is built from the tree")


def whole(wheel: Path) -> None:
    """That nothing was left out: a module that git does not know is in nobody's wheel."""
    with zipfile.ZipFile(wheel) as packed:
        code = {name: packed.read(name) for name in packed.namelist() if name.endswith(".py")}
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in code}
    for name, text in code.items():
        for module in _imported(text):
            if module.startswith("nodeworthy.") and module not in modules:
                raise NotReady(f"{wheel.name} is not whole: {name} imports {module}, which is not in it")


def _imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
