"""What brings kubelet back after a reboot: the table of `kubelet.toml`, typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Family:
    """Units of which one must be enabled, and what else may start kubelet at every boot."""

    key: str
    units: tuple[str, ...]
    # The unit that people enable.
    name: str
    image: str = ""
    images: tuple[str, ...] = ()

    @cached_property
    def all_units(self) -> tuple[str, ...]:
        """The family's own units, and the image's."""
        return (*self.units, self.image) if self.image else self.units


@dataclass(frozen=True)
class Join:
    family: Family
    # yes, no, or image: whoever installed kubelet has enabled it or not.
    enables: str


@dataclass(frozen=True)
class Runtime:
    """What runs the containers of a node that kubeadm makes."""

    name: str
    unit: str
    packages: tuple[str, ...]
    # Units that start it when they start.
    wanted_by: tuple[str, ...]


@cache
def _table() -> Mapping[str, Any]:
    return table_of("kubelet")


@cache
def families() -> tuple[Family, ...]:
    return tuple(_family(key, row) for key, row in _table()["family"].items())


def _family(key: str, row: Mapping[str, Any]) -> Family:
    return Family(key, tuple(row["units"]), row["name"], row.get("image", ""), tuple(row.get("images", ())))


@cache
def every_kubelet_unit() -> tuple[str, ...]:
    """Every unit that may run kubelet, apart from images' own."""
    return (*(unit for family in families() for unit in family.units), *_table()["elsewhere"]["units"])


@cache
def join(how: str) -> Join | None:
    """What a way of joining leaves behind; None for one that we don't know."""
    row = _table()["join"].get(how)
    if row is None:
        return None
    return Join(next(each for each in families() if each.key == row["family"]), row["enables"])


@cache
def family_of(unit: str) -> Family | None:
    return next((each for each in families() if unit in each.units), None)


def goes_with(containerd: str, kubelet: str) -> bool:
    """Whether the containerd of this unit is there for the kubelet of that one: a snap has both."""
    if kubelet.startswith("snap.") and containerd.startswith("snap."):
        return kubelet.split(".")[1] == containerd.split(".")[1]
    family = family_of(kubelet)
    return containerd == "containerd.service" and family is not None and family.key == "kubelet"


def enabling_packages(manager: str) -> frozenset[str]:
    """What leaves its unit enabled where this package manager installs it."""
    row = _table()["packages"]
    return frozenset(row["kubelet"]) - (frozenset(row["preset"]) if manager in row["by_preset"] else frozenset())


def presets_units(manager: str) -> bool:
    """Whether what this package manager installs stays disabled until somebody enables it."""
    return manager in _table()["packages"]["by_preset"]


@cache
def runtimes() -> tuple[Runtime, ...]:
    return tuple(
        Runtime(name, row["unit"], tuple(row["packages"]), tuple(row["wanted_by"]))
        for name, row in _table()["runtime"].items()
    )


@cache
def kubelet_packages() -> frozenset[str]:
    """The project's own, which bring kubelet and say nothing of how it is run."""
    return frozenset(_table()["packages"]["preset"])


@cache
def hybrid_programs() -> tuple[str, ...]:
    return tuple(_table()["hybrid"]["programs"])


_GATES = "feature-gates"


def gone_from_kubelet(name: str, value: str) -> Iterator[tuple[str, int]]:
    """What a kubelet ends over of one of its options, with its value: as it is written, and since which minor version
    of Kubernetes."""
    gone = _table()["gone"]
    if name in gone["options"]:
        yield name, gone["options"][name]
    if name == _GATES:
        gates = (each.strip().partition("=")[0] for each in value.strip("\"'").split(","))
        yield from ((f"{_GATES}={each}", gone["gates"][each]) for each in gates if each in gone["gates"])


def instead_of(option: str) -> str:
    gone = _table()["gone"]
    return str(gone["instead"].get(option, "no such gate: it is on" if option.startswith(_GATES) else "no such option"))
