"""Clouds beside AWS, Google Cloud and Azure that host Kubernetes: what asks them for nodes, and the GPUs of their
machines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.cloud_gpus import MachineGpus
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import exists, gpus_of, has_gpus, may_be_newer, near
from nodeworthy.known.tables import table_of
from nodeworthy.records import dataclass

# Whose machines have a table of their own.
_AWS = "aws"


@dataclass(frozen=True)
class AsksForNodes:
    """Where a resource says what; empty where it does not say it."""

    noun: str
    cloud: str
    name: str
    machine: str
    wanted: str
    of: str = ""
    within: str = ""
    preset: str = ""
    gpus: str = ""
    least: str = ""
    most: str = ""
    labels: str = ""
    version: str = ""
    # Where it says that its cloud brings the driver, or that it does in any case; and who that is.
    driver: str | bool = ""
    by: str = ""
    # What its nodes run, where that is always the same.
    distribution: str = ""


@dataclass(frozen=True)
class IsCluster:
    name: str
    version: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("hosted_elsewhere")


def asks_for_nodes(type_: str) -> AsksForNodes | None:
    row = _table()["pools"].get(type_)
    return AsksForNodes(**row) if row is not None else None


def is_cluster(type_: str) -> IsCluster | None:
    row = _table()["clusters"].get(type_)
    return IsCluster(**row) if row is not None else None


def types_elsewhere() -> frozenset[str]:
    return frozenset((*_table()["pools"], *_table()["clusters"]))


def gpus_elsewhere(cloud: str, machine: str, preset: str = "") -> MachineGpus | None:
    """The GPUs of a machine type; None where it has none of NVIDIA's that is known."""
    if cloud == _AWS:
        has = gpus_of(machine)
        if has is None:
            return MachineGpus(None, None) if has_gpus(machine) else None
        return MachineGpus(has.gpu, has.count)
    rows = _table()["machines"].get(cloud, {"types": {}})
    for text, row in rows["types"].items():
        found = re.fullmatch(text, machine)
        if found is None:
            continue
        said = {**row, **found.groupdict()}
        counted = re.fullmatch(rows["preset"], preset) if "preset" in rows else None
        count = counted["count"] if counted is not None else said.get("count")
        gpu = gpu_named(rows.get("names", {}).get(said.get("gpu"), said.get("gpu") or ""))
        return MachineGpus(gpu.name if gpu is not None else None, int(count) if count is not None else None)
    return None


def others_elsewhere(cloud: str, machine: str) -> tuple[str, ...]:
    """The types that its cloud has in its place, where all are known and it is none of them."""
    if cloud == _AWS:
        return near(machine) if has_gpus(machine) and not (exists(machine) or may_be_newer(machine)) else ()
    rows = _table()["machines"].get(cloud, {"types": {}})
    found = next(filter(None, (re.fullmatch(text, machine) for text in rows["types"])), None)
    if found is None or "numbers" not in rows or "count" not in found.groupdict():
        return ()
    before, after = machine[: found.start("count")], machine[found.end("count") :]
    numbers: list[int] = next((each for text, each in rows["numbers"].items() if re.fullmatch(text, before)), [])
    if not numbers or int(found["count"]) in numbers:
        return ()
    # What stands behind it (a memory) goes with the number.
    rest = "…" if any(map(str.isdigit, after)) else after
    return tuple(f"{before}{each}{rest}" for each in numbers)
