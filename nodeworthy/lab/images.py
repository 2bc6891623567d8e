"""The images that boot scripts are written for, as layers over Debian: what of theirs a script meets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nodeworthy.lab import cache, packages, real, rootfs
from nodeworthy.lab.packages import Package
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Image:
    packages: tuple[Package, ...] = ()
    # Units that are enabled, each with the target that wants it.
    enabled: tuple[tuple[str, str], ...] = ()
    # Its own files: a folder in `images/`.
    files: str = ""
    # Packages of Debian's whose programs it really has.
    real: tuple[str, ...] = ()
    # NVIDIA's images load the module by themselves, before any script at the end of cloud-init.
    loads_module: bool = False


NODEADM = (("nodeadm-config.service", "multi-user.target"), ("nodeadm-run.service", "cloud-init.target"))
HARDWARE = ("nodeworthy-lab-hardware.service", "sysinit.target")
LOADER = ("image-loads-module.service", "multi-user.target")

# What it brings along besides its own files.
GPU_NODE = (
    Package("nvidia-driver", packages.SMI),
    Package("nvidia-fabricmanager", units=("nvidia-fabricmanager.service",)),
)
REAL = tuple(
    "containerd iptables libip4tc2 libip6tc2 libxtables12 libmnl0 libnetfilter-conntrack3 libnfnetlink0 libnftnl11 "
    "ufw".split()
)

IMAGES = {
    "debian": Image(),
    "al2023": Image(packages.AL2023, NODEADM),
    "al2023-nvidia": Image(packages.AL2023 + packages.NVIDIA_IMAGE, (*NODEADM, LOADER), loads_module=True),
    "eks-ubuntu": Image(packages.EKS_UBUNTU, files="eks-ubuntu"),
    "eks-ubuntu-nvidia": Image(
        packages.EKS_UBUNTU + packages.NVIDIA_IMAGE, (LOADER,), files="eks-ubuntu", loads_module=True
    ),
    "gpu-node": Image(GPU_NODE, (*NODEADM, HARDWARE), files="gpu-node", real=REAL),
}


def layers(name: str) -> list[Path]:
    """The uppermost first."""
    if name == "debian":
        return rootfs.debian()
    made_from = cache.sources("images.py", "packages.py", "programs/*", "units/*", "images/**/*")
    made_from += real.versions(IMAGES[name].real)
    return [cache.kept(name, made_from, partial(_make, image=IMAGES[name])), *rootfs.debian()]


def _make(folder: Path, image: Image) -> None:
    if image.real:
        real.lay(image.real, folder)
    for package in image.packages:
        packages.install(package, folder)
    for path, text in _files(image):
        rootfs.write(folder / path, text, 0o755 if text.startswith("#!") else 0o644)
    for unit, target in image.enabled:
        wants = folder / "etc/systemd/system" / f"{target}.wants"
        rootfs.link(wants / unit, f"/usr/lib/systemd/system/{unit}")


def _files(image: Image) -> Iterator[tuple[Path, str]]:
    if image.files:
        own = cache.HERE / "images" / image.files
        yield from ((file.relative_to(own), file.read_text()) for file in own.rglob("*") if file.is_file())
