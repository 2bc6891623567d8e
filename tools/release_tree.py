"""The tree that a release is made of: what git knows of it, and nothing that merely lies there."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from changelog import NotReady

VERSION = re.compile(r'^__version__ = "(?P<version>[^"]+)"$', re.MULTILINE)


@dataclass(frozen=True)
class Tree:
    root: Path

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    @cached_property
    def version(self) -> str:
        """It stands in one place; pyproject.toml and the manual read it there."""
        found = VERSION.search(self.text("nodeworthy/__init__.py"))
        if found is None:
            raise NotReady("nodeworthy/__init__.py has no __version__")
        return found["version"]

    @property
    def changelog(self) -> Path:
        return self.root / "CHANGELOG.md"

    @property
    def changes(self) -> str:
        return self.text("CHANGELOG.md")

    @cached_property
    def changed(self) -> bool:
        return bool(self._git("status", "--porcelain"))

    @cached_property
    def commit(self) -> str:
        return self._git("rev-parse", "HEAD").strip()

    @cached_property
    def tags(self) -> list[str]:
        return self._git("tag", "--points-at", "HEAD").split()

    def copied(self, into: Path) -> Path:
        """What is packed, of the files that git tracks, as they are now."""
        packed = tomllib.loads(self.text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
        for name in self._git("ls-files", "-z", "--", *(each.lstrip("/") for each in packed)).split("\0"):
            source = self.root / name
            if name and source.is_file():
                (into / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, into / name)
        return into

    def _git(self, *arguments: str) -> str:
        told = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, timeout=120, check=False
        )
        if told.returncode != 0:
            raise NotReady(f"git {arguments[0]}: {told.stderr.strip()}")
        return told.stdout
