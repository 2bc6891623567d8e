"""Machines with NVIDIA's GPUs of Google Cloud and Azure, and what GKE and AKS put on them."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# By which GKE's nodes tell their GPU.
GKE_ACCELERATOR = "cloud.google.com/gke-accelerator"
_AZURES_WITH_GPUS = "standard_n"
# Oracle Cloud calls its shapes with GPUs so: BM.GPU.H100.8, VM.GPU.A10.1.
_OF_ORACLE = pattern(r"(?i)(?:BM|VM)\.GPU")
# An accelerator by the name of its GPU, with a memory that it may not have.
_BY_ITS_GPU = pattern(r"nvidia-(?:tesla-)?(\w{1,12})(?:-\d{1,4}gb)?")
# NC24ads_A100_v4: its family, its cores, its GPU and its version.
_IN_A_SERIES = pattern(r"(?i)Standard_(N[CDV]C?)(\d{1,3})[a-z]{0,8}_(?:[a-z]{1,8}_)?([a-z]{1,4}\d{1,4})_(v\d)")


@dataclass(frozen=True)
class MachineGpus:
    """None: it has some, and which, or how many, is not known."""

    gpu: str | None
    count: int | None
    # The day on which its cloud retired them.
    gone: str | None = None


@cache
def _table() -> Mapping[str, Any]:
    return table_of("cloud_gpus")


def gpu_of_accelerator(name: str) -> str | None:
    row = _table()["gke"]["accelerators"].get(name)
    return str(row["gpu"]) if row is not None else None


def accelerator_gone(name: str) -> str | None:
    """The day on which Google retired it."""
    row = _table()["gke"]["accelerators"].get(name, {})
    return str(row["gone"]) if "gone" in row else None


def accelerator_meant(name: str) -> str | None:
    """What somebody means who calls an accelerator as GKE does not; None where it does, or where that is not known."""
    rows = _table()["gke"]
    if name in rows["accelerators"]:
        return None
    meant = rows["misnamed"].get(name)
    if meant is None and (found := _BY_ITS_GPU.fullmatch(name)) is not None:
        meant = next((each for each, row in rows["accelerators"].items() if row["gpu"].lower() == found[1]), None)
    return str(meant) if meant is not None else None


def is_attached(name: str) -> bool:
    """Whether it is added to a machine that has none of its own."""
    return name in _table()["gke"]["attached"]["accelerators"]


def numbers_attached(name: str) -> tuple[int, ...]:
    """How many of it a machine may be given."""
    return tuple(_table()["gke"]["attached"]["numbers"].get(name, ()))


def takes_accelerators(machine_type: str) -> bool:
    return machine_type.startswith(f"{_table()['gke']['attached']['family']}-")


def machines_with(gpu: str) -> tuple[str, ...]:
    """The families of Google Cloud's machines that have this GPU as a part of them."""
    return tuple(family for family, row in _table()["gke"]["machines"].items() if row["gpu"] == gpu)


def gpus_of_machine(machine_type: str) -> MachineGpus | None:
    """The GPUs that are a part of a machine type of Google Cloud. None where it has none of its own."""
    family, _, size = machine_type.rpartition("-")
    row = _table()["gke"]["machines"].get(family)
    return MachineGpus(row["gpu"], row["count"].get(size)) if row is not None else None


def others_of_family(machine_type: str) -> tuple[str, ...]:
    """The machine types that its family has, where all are known and it is none of them."""
    family, _, size = machine_type.rpartition("-")
    row = _table()["gke"]["machines"].get(family, {"open": True})
    return () if row.get("open") or size in row["count"] else tuple(f"{family}-{each}" for each in row["count"])


def others_of_series(vm_size: str) -> tuple[str, ...]:
    """The sizes that Azure has with this GPU, where all are known and it is none of them."""
    found, rows = _IN_A_SERIES.fullmatch(vm_size), _table()["aks"]["series"]
    if found is None:
        return ()
    family, _, gpu, version = (each.upper() for each in found.groups())
    if f"{family}_{gpu}_{version.lower()}" not in rows:
        rows = {name: sizes for name, sizes in rows.items() if name.split("_")[1] == gpu}
        of_its_family = {name: sizes for name, sizes in rows.items() if name.split("_")[0] == family}
        return tuple(f"Standard_{each}" for sizes in (of_its_family or rows).values() for each in sizes)
    sizes = rows[f"{family}_{gpu}_{version.lower()}"]
    is_one = vm_size.lower().removeprefix("standard_") in {each.lower() for each in sizes}
    return () if is_one else tuple(f"Standard_{each}" for each in sizes)


def names_gpus(text: str) -> bool:
    """An accelerator, a machine, a size or a shape of any of these clouds."""
    return bool(gpu_of_accelerator(text) or gpus_of_machine(text) or gpus_of_size(text) or _OF_ORACLE.match(text))


def gke_distribution(image_type: str | None) -> str | None:
    """None for an image of which it is not known."""
    images: Mapping[str, str] = _table()["gke"]["images"]
    return images.get(image_type.upper()) if image_type is not None else next(iter(images.values()))


def gke_installs(driver_version: str) -> bool:
    return driver_version in _table()["gke"]["installs"]


def gke_leaves_it(driver_version: str) -> bool:
    return driver_version in _table()["gke"]["leaves"]


# Nodes by the thousand are of few sizes.
@lru_cache(maxsize=1024)
def gpus_of_size(vm_size: str) -> MachineGpus | None:
    """The GPUs of a VM size of Azure, whose names have no case. None where it has none of NVIDIA's."""
    size = vm_size.lower()
    rows = _table()["aks"]
    if any(fnmatchcase(size, each.lower()) for each in rows["without_nvidia"]["sizes"]):
        return None
    for sizes, row in rows["sizes"].items():
        if fnmatchcase(size, sizes.lower()):
            return MachineGpus(row["gpu"], row.get("count"), str(row["gone"]) if "gone" in row else None)
    return MachineGpus(None, None) if size.startswith(_AZURES_WITH_GPUS) else None


def takes_vgpu_drivers(vm_size: str) -> bool:
    """Whether a size of Azure's has GPUs that NVIDIA's driver for data centers does not drive."""
    return any(fnmatchcase(vm_size.lower(), each.lower()) for each in _table()["aks"]["vgpu"]["sizes"])


def brings_cudas_driver(image: str) -> bool:
    """Whether an image of Azure's, publisher:offer, brings NVIDIA's driver for data centers."""
    return image.lower() in _table()["aks"]["vgpu"]["cuda_images"]


def aks_distribution() -> str:
    found: str = _table()["aks"]["distribution"]
    return found
