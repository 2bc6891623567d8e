"""The module option that lets everyone profile: the table of `profiling.toml`, typed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class ModuleOption:
    module: str
    name: str
    value: str
    default: str
    also: tuple[str, ...]
    suffix: str
    folders: tuple[str, ...]
    kernel: str

    @property
    def line(self) -> str:
        """The option as it stands in a file of modprobe."""
        return f"options {self.module} {self.assignment}"

    @property
    def assignment(self) -> str:
        return f"{self.name}={self.value}"


@cache
def _table() -> Mapping[str, Any]:
    return table_of("profiling")


@cache
def option() -> ModuleOption:
    row = _table()
    names = ("module", "name", "value", "default", "suffix", "kernel")
    return ModuleOption(also=tuple(row["also"]), folders=tuple(row["folders"]), **{name: row[name] for name in names})


def loaded_parameter() -> str:
    """The name under which the loaded module shows the option's value."""
    return str(_table()["loaded"])


@cache
def boot_loader_programs() -> frozenset[str]:
    return frozenset(_table()["boot_loader"]["programs"])


@cache
def boot_loader_files() -> tuple[str, ...]:
    return tuple(_table()["boot_loader"]["files"])


@cache
def initramfs_programs() -> frozenset[str]:
    return frozenset(_table()["initramfs"]["programs"])


@dataclass(frozen=True)
class Profilers:
    """What reads the GPU's counters: programs by their names, packages by how their names begin."""

    programs: frozenset[str]
    packages: tuple[str, ...]


@cache
def profilers() -> Profilers:
    row = _table()["profilers"]
    return Profilers(frozenset(row["programs"]), tuple(row["packages"]))


@cache
def other_purposes() -> frozenset[str]:
    """Words by which a program says that it is there for something else than a driver."""
    return frozenset(_table()["other_purposes"]["words"])


def image_loads_early(distribution: str) -> bool | None:
    """Whether the driver in this distribution's image is loaded before a script can run; None where nobody knows."""
    row = _table()["image"].get(distribution)
    return None if row is None or row["loads"] == "unknown" else row["loads"] == "early"
