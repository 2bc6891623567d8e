"""What brings NVIDIA's kernel modules and what loads them: the table of `drivers.toml`, typed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern

# No package has a longer name.
_LONGEST = 200
# What stands for others in a name of the table.
_WILD = pattern(r"[*#]")


class PackageKind(StrEnum):
    DRIVER = "driver"
    REPOSITORY = "repository"
    USER_SPACE = "user-space"
    FABRIC_MANAGER = "fabric-manager"
    TOOLKIT = "toolkit"
    DCGM = "dcgm"


class Flavour(StrEnum):
    """The flavour of kernel modules."""

    OPEN = "open"
    PROPRIETARY = "proprietary"


@cache
def _table() -> Mapping[str, Any]:
    return table_of("drivers")


@cache
def _packages() -> Sequence[tuple[str, re.Pattern[str], PackageKind]]:
    """Each name with how it begins: one expression of all of them takes longer to compile than a short run takes for
    anything else."""
    return [
        (_WILD.split(name, maxsplit=1)[0], pattern(_expression(name)), PackageKind(row["kind"]))
        for row in _table()["package"]
        for name in row["names"]
    ]


def _expression(name: str) -> str:
    return re.escape(name).replace(r"\*", ".*").replace(r"\#", "[0-9]") + r"\Z"


@cache
def package_kind(name: str) -> PackageKind | None:
    """What a package is to NVIDIA's driver, by its name without version and suffix; None for every other package."""
    if len(name) > _LONGEST:
        return None
    fitting = (kind for begins, whole, kind in _packages() if name.startswith(begins) and whole.match(name))
    return next(fitting, None)


@cache
def may_be_driver(beginning: str) -> bool:
    """Whether a driver's package begins like this."""
    rows = (row["names"] for row in _table()["package"] if row["kind"] == PackageKind.DRIVER)
    return any(name.startswith(beginning) for names in rows for name in names)


@cache
def starting() -> Mapping[str, str]:
    """The units that load the module when they start, and why."""
    return _reasons("unit")


@cache
def running() -> Mapping[str, str]:
    """The programs that load the module when they run, and why."""
    return _reasons("program")


@cache
def needs_nvidia(module: str) -> bool:
    return module in _table()["modules"]["need_nvidia"]


def _reasons(kind: str) -> Mapping[str, str]:
    return {name: row["because"] for row in _table()[kind] for name in row["names"]}


def flavour_of(package: str) -> Flavour | None:
    """The flavour of the modules that a package brings, by its name. None where that is left to the release."""
    told = _table()["flavour"]
    if any(re.fullmatch(each, package) for each in told["open"]):
        return Flavour.OPEN
    return Flavour.PROPRIETARY if any(re.fullmatch(each, package) for each in told["proprietary"]) else None


def flavour_for(architecture: str, gpu: str) -> Flavour | None:
    """The only one that drives a GPU; None where both do."""
    told = _table()["flavour"]
    if architecture in told["without_gsp"]:
        return Flavour.PROPRIETARY
    return Flavour.OPEN if architecture in told["open_alone"] or gpu in told["open_alone_gpus"] else None


def last_branch(architecture: str) -> int | None:
    """The last one that drives a GPU; None where all that are known do."""
    found = _table()["last_branch"].get(architecture)
    return int(found) if found is not None else None


def first_branch(architecture: str) -> int | None:
    """The first one that drives a GPU; None where all that are in use do."""
    found = _table()["first_branch"].get(architecture)
    return int(found) if found is not None else None


def newest_branch(package: str) -> int | None:
    """At least which branch a package brings that follows the newest; None of any other."""
    told = _table()["newest"]
    return int(told["branch"]) if any(re.fullmatch(each, package) for each in told["packages"]) else None
