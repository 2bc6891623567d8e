"""Which packages, units and programs load NVIDIA's module."""

from __future__ import annotations

import pytest

from nodeworthy.known.drivers import PackageKind, may_be_driver, needs_nvidia, package_kind, running, starting

KINDS = {
    PackageKind.DRIVER: (
        "nvidia-driver nvidia-driver-570 nvidia-driver-570-server nvidia-driver-570-open nvidia-driver-cuda nvidia-open "
        "nvidia-open-570 nvidia-headless-570-server nvidia-dkms-570 kmod-nvidia kmod-nvidia-open-dkms nvidia-kmod "
        "cuda cuda-12-4 cuda-drivers cuda-drivers-570 cuda-drivers-fabricmanager-570 cuda-runtime-12-4 akmod-nvidia "
        "linux-modules-nvidia-570-server-aws nvidia-kernel-open-dkms xorg-x11-drv-nvidia-cuda nvidia-gfxG06-kmp-default "
        "nvidia-driver:latest-dkms nvidia-open-driver-G06-signed-kmp-default nvidia-340"
    ),
    PackageKind.USER_SPACE: (
        "nvidia-driver-libs nvidia-driver-cuda-libs nvidia-utils-570-server nvidia-compute-utils-570 nvidia-modprobe "
        "nvidia-settings nvidia-headless-no-dkms-570 nvidia-kernel-common-570 nvidia-compute-G06 nvidia-firmware-570"
    ),
    PackageKind.FABRIC_MANAGER: "nvidia-fabricmanager-570 nvidia-fabric-manager nvidia-fabric-manager-570.86.15",
    PackageKind.TOOLKIT: "nvidia-container-toolkit nvidia-container-toolkit-base libnvidia-container-tools nvidia-docker2",
    PackageKind.DCGM: "datacenter-gpu-manager datacenter-gpu-manager-4-cuda12",
    PackageKind.REPOSITORY: "cuda-keyring cuda-repo-rhel9-12-4-local nvidia-driver-local-repo-ubuntu2204-570 nvidia-release",
    None: (
        "cuda-toolkit-12-4 cuda-libraries-12-4 cuda-nvcc-12-4 cuda-compat-12-4 libnvidia-compute-570 docker-ce kubelet "
        "libcudnn9-cuda-12 nvidia-gds linux-headers-6.8.0 nvtop containerd kernel-devel"
    ),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in KINDS.items() for name in names.split()])
def test_what_a_package_is(kind: PackageKind | None, name: str) -> None:
    assert package_kind(name) is kind


@pytest.mark.parametrize(
    ("beginning", "may"), [("", True), ("nvidia-", True), ("linux-", True), ("lib", False), ("kernel-", False)]
)
def test_a_beginning_may_become_a_drivers_name(beginning: str, *, may: bool) -> None:
    assert may_be_driver(beginning) is may


def test_every_reason_is_a_clause() -> None:
    for because in (*starting().values(), *running().values()):
        assert because
        assert not because.endswith(".")


def test_units_have_their_suffix_and_programs_no_folder() -> None:
    assert all(unit.endswith(".service") for unit in starting())
    assert not any("/" in program for program in running())


def test_modules_are_spelt_as_the_kernel_does() -> None:
    assert needs_nvidia("nvidia_uvm")
    assert not needs_nvidia("nvidia")
    assert not needs_nvidia("nvidia-uvm")
