"""The images that boot scripts are written for, as layers over Debian: what of theirs a script meets."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from nodeworthy.lab import cache, packages, rootfs
from nodeworthy.lab.commands import LabError, run
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
    made_from += _real_versions(IMAGES[name].real)
    return [cache.cached_folder(name, made_from, partial(_make, image=IMAGES[name])), *rootfs.debian()]


def _make(folder: Path, image: Image) -> None:
    if image.real:
        _lay_real(image.real, folder)
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


SECONDS = 180
APT = ("apt-cache", "apt-get")
# Where Debian's merged folders really are.
MERGED = ("bin", "sbin", "lib")


def _real_versions(packages: Sequence[str]) -> list[str]:
    """What apt would fetch."""
    if not packages:
        return []
    if any(shutil.which(program) is None for program in APT):
        raise LabError(f"there is no apt here, which would fetch {', '.join(packages)}")
    told = run(["apt-cache", "policy", *packages], seconds=120)
    found = [each for each in re.findall(r"Candidate: (\S+)", told) if each != "(none)"]
    if len(found) != len(packages):
        raise LabError(f"apt does not know all of these, and apt-get update may help: {', '.join(packages)}")
    return [f"{name} {version}" for name, version in zip(packages, found, strict=True)]


def _lay_real(packages: Sequence[str], root: Path) -> None:
    """Puts the packages' files where they have them."""
    with tempfile.TemporaryDirectory(dir=cache.home()) as scratch:
        run(["sh", "-c", 'cd "$0" && apt-get -qq download "$@"', scratch, *packages], seconds=SECONDS)
        tree = Path(scratch) / "tree"
        for fetched in sorted(Path(scratch).glob("*.deb")):
            run(["dpkg-deb", "--extract", fetched, tree], seconds=SECONDS)
        for name in MERGED:
            if (tree / name).is_dir():
                shutil.copytree(tree / name, tree / "usr" / name, symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(tree / name)
        shutil.copytree(tree, root, symlinks=True, dirs_exist_ok=True)
