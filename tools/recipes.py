"""What can be built: a family is a folder with a wrapper module, a program is a table in its `recipe.toml`."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TOOLS = Path(__file__).resolve().parent

# Everything that decides what comes out; together with the platform it names the place in the cache.
INGREDIENTS = ("go.mod", "go.sum", "recipe.toml")

REQUIRED_MODULE = re.compile(r"^(?:require )?\s*(?P<path>[\w.~/-]+) (?P<version>v\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Family:
    """One wrapper module: programs that share their dependencies, apart from every other family."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def home(self) -> Path:
        """Where its binaries lie: another place as soon as a version, a checksum or a flag changes."""
        digest = hashlib.sha256(f"{platform.system()} {platform.machine()}".encode())
        for ingredient in INGREDIENTS:
            digest.update((self.folder / ingredient).read_bytes())
        return cache() / f"{self.name}-{digest.hexdigest()[:16]}"

    @cached_property
    def required(self) -> dict[str, str]:
        """Module path → version, as `go.mod` requires them."""
        lines = (self.folder / "go.mod").read_text().partition("\nreplace ")[0]
        return {line["path"]: line["version"] for line in REQUIRED_MODULE.finditer(lines)}


@dataclass(frozen=True)
class Program:
    """One binary: the package it comes from, how it is linked, and how to ask it for its version."""

    name: str
    family: Family
    package: str
    ldflags: str
    ask: tuple[str, ...]
    tags: str = ""
    cgo: bool = False

    @property
    def version(self) -> str:
        """The version of the module that holds the package: it is written in `go.mod` and nowhere else."""
        holders = [module for module in self.family.required if f"{self.package}/".startswith(f"{module}/")]
        return self.family.required[max(holders, key=len)]

    @property
    def number(self) -> str:
        return self.version.removeprefix("v")

    @property
    def linker_flags(self) -> str:
        major, minor, _ = self.number.split(".", 2)
        return self.ldflags.format(version=self.version, number=self.number, major=major, minor=minor)

    @property
    def path(self) -> Path:
        return self.family.home / "bin" / self.name

    @property
    def built(self) -> bool:
        return self.path.is_file()

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def cache() -> Path:
    """Outside the tree, so that a fresh clone finds what an older one has built."""
    if chosen := os.environ.get("NODEWORTHY_TOOLS_CACHE"):
        return Path(chosen).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base, "nodeworthy", "tools")


def programs() -> list[Program]:
    """Every program of every family, in the order of their folders and recipes."""
    return [
        program for recipe in sorted(TOOLS.glob("*/recipe.toml")) for program in read(Family(recipe.parent), recipe)
    ]


def read(family: Family, recipe: Path) -> list[Program]:
    tables = tomllib.loads(recipe.read_text())
    return [
        Program(
            name=name,
            family=family,
            package=table["package"],
            ldflags=table["ldflags"],
            ask=tuple(table["ask"]),
            tags=table.get("tags", ""),
            cgo=table.get("cgo", False),
        )
        for name, table in tables.items()
    ]
