"""The tables that the rules of boot scripts stand on agree with each other."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from nodeworthy.fleet.os import EKS
from nodeworthy.known import kubelet, profiling


def test_the_option_as_it_is_written() -> None:
    option = profiling.option()
    assert option.line == "options nvidia NVreg_RestrictProfilingToAdminUsers=0"
    assert option.kernel == f"{option.module}.{option.assignment}"
    assert "/etc/modprobe.d" in option.folders


def test_images_whose_driver_is_loaded_early() -> None:
    assert profiling.image_loads_early("eks-al2023") is True
    assert profiling.image_loads_early("eks-al2") is None
    assert profiling.image_loads_early("kubeadm") is None


def test_every_way_to_join_has_its_kubelet() -> None:
    for how in ("nodeadm", "bootstrap.sh", "kubeadm", "k3s", "rke2", "bottlerocket"):
        join = kubelet.join(how)
        assert join is not None, how
        assert join.enables in ("yes", "no", "image")
    assert kubelet.join("by hand") is None


def test_units_belong_to_one_family() -> None:
    units = [unit for family in kubelet.families() for unit in family.all_units]
    assert len(units) == len(set(units))
    assert all(unit.endswith(".service") for unit in units)
    assert {image for family in kubelet.families() for image in family.images} <= set(EKS)


@pytest.mark.parametrize("name", ["profiling.toml", "kubelet.toml"])
def test_every_table_says_where_it_was_read(name: str) -> None:
    table = tomllib.loads(files("nodeworthy.known").joinpath(name).read_text(encoding="utf-8"))
    rows = [*table.get("family", {}).values(), *table.get("image", {}).values()]
    rows += [table[key] for key in ("packages", "hybrid", "boot_loader", "initramfs") if key in table]
    assert rows
    assert all(row["source"] for row in rows)
