"""The packages that a boot script installs, as far as a boot can tell them from the real ones.

Small packages under their real names, in an apt and a dnf repository on the node's own disk: those of a driver load
the module while they are installed, as the real ones do. It is dnf on Debian, not Amazon Linux.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from nodeworthy.lab.cache import HERE
from nodeworthy.lab.commands import run
from nodeworthy.records import dataclass

BUILD_SECONDS = 180
VERSION = "580.105.08"
# Debian's own packages break with old versions of some of these.
DEBIAN_VERSION = f"9:{VERSION}"
LAB = "/usr/lib/nodeworthy-lab"


@dataclass(frozen=True)
class Package:
    name: str
    # The program's name, and which of the lab's programs plays it.
    programs: tuple[tuple[str, str], ...] = ()
    units: tuple[str, ...] = ()
    loads_module: bool = False
    # As Debian's packages do with their units; RPMs leave them alone.
    starts: tuple[str, ...] = ()


SMI = (("nvidia-smi", "nvidia-smi"), ("nvidia-modprobe", "nvidia-modprobe"))
PERSISTENCED = (("nvidia-persistenced", "loads-and-waits"),)
FABRIC = (("nv-fabricmanager", "loads-and-waits"),)
CONTAINERD = (("containerd", "containerd"),)
KUBELET = (("kubelet", "waits"),)
DOCKER = (("dockerd", "waits"), ("docker", "does-nothing"))

DRIVERS = (
    "nvidia-driver nvidia-driver-570-server nvidia-open cuda-drivers nvidia-headless-no-dkms-580-server-open".split()
)
FABRIC_MANAGERS = "nvidia-fabric-manager nvidia-fabricmanager nvidia-fabricmanager-570 nvidia-fabricmanager-580".split()
OF_A_KERNEL = "kernel-devel kernel-modules-extra linux-modules-nvidia-580-server-open".split()


def driver(name: str) -> Package:
    return Package(name, (*SMI, *PERSISTENCED), ("nvidia-persistenced.service",), loads_module=True)


PACKAGES = (
    *(driver(name) for name in DRIVERS),
    *(Package(name, FABRIC, ("nvidia-fabricmanager.service",)) for name in FABRIC_MANAGERS),
    Package("nvidia-container-toolkit", (("nvidia-ctk", "does-nothing"),)),
    Package("containerd", CONTAINERD, ("containerd.service",), starts=("containerd",)),
    Package("docker.io", DOCKER, ("docker.service",), starts=("docker",)),
    Package("docker", DOCKER, ("docker.service",)),
    Package("kubelet", KUBELET, ("kubelet.service",), starts=("kubelet",)),
    Package("nfs-common"),
    Package("amazon-efs-utils"),
    Package("jq", (("jq", "does-nothing"),)),
    Package("ufw", (("ufw", "does-nothing"),)),
    Package("nvidia-utils-580-server"),
    Package("dkms"),
    Package("nvidia-release"),
    *(Package(f"{name}-{os.uname().release}") for name in OF_A_KERNEL),
)

# What Amazon's image brings along.
AL2023 = (
    Package("nodeadm", (("nodeadm", "nodeadm"),), ("nodeadm-config.service", "nodeadm-run.service")),
    Package("containerd", CONTAINERD, ("containerd.service",)),
    Package("kubelet", KUBELET, ("kubelet.service",)),
)

EKS_UBUNTU = (
    Package("containerd", CONTAINERD, ("containerd.service",)),
    Package("kubelet", KUBELET, ("snap.kubelet-eks.daemon.service",)),
)
NVIDIA_IMAGE = (
    driver("nvidia-driver"),
    Package("nvidia-fabricmanager", FABRIC, ("nvidia-fabricmanager.service",)),
    Package("image-loads-module", units=("image-loads-module.service",)),
)

# Debian's dnf has no package that brings a shell, which every script of an RPM asks for.
SHELL = """\
Name: lab-shell
Version: 1
Release: 1
Summary: the shell that is there
License: none
BuildArch: noarch
Provides: /bin/sh
%description
The shell that is there.
%files
"""

SPEC = """\
Name: {name}
Version: {version}
Release: 1
Summary: stands in for {name}
License: none
BuildArch: noarch
AutoReqProv: no
%define _binary_payload w0.gzdio
%description
Stands in for {name}.
%install
cp -a {tree}/. %{{buildroot}}/
%files
{files}
%post
{post}
"""


def make_repositories(folder: Path, scratch: Path) -> None:
    """`folder/deb` and `folder/rpm`, with every package in both."""
    (folder / "deb").mkdir(parents=True)
    (folder / "rpm").mkdir()
    (scratch / "lab-shell.spec").write_text(SHELL)
    index = [_deb(package, folder / "deb", scratch) for package in PACKAGES]
    (folder / "deb" / "Packages").write_text("\n".join(index))
    specs = [_spec(package, scratch) for package in PACKAGES] + [scratch / "lab-shell.spec"]
    where = [f"_topdir {scratch}/rpmbuild", f"_rpmdir {folder}/rpm", "_build_id_links none", "__os_install_post %{nil}"]
    run(
        ["rpmbuild", "-bb", "--quiet", *(word for each in where for word in ("--define", each)), *specs],
        seconds=BUILD_SECONDS,
    )
    run(["createrepo_c", "--quiet", folder / "rpm"], seconds=BUILD_SECONDS)


def install(package: Package, root: Path) -> None:
    """Lays the package's files into a system, as its image has them."""
    for program, played_by in package.programs:
        _put(HERE / "programs" / played_by, root / "usr/bin" / program, 0o755)
    for unit in package.units:
        _put(HERE / "units" / unit, root / "usr/lib/systemd/system" / unit, 0o644)


def _put(source: Path, target: Path, mode: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
    target.chmod(mode)


def _post(package: Package, *, debian: bool) -> Iterator[str]:
    yield f"{LAB}/record installed {package.name}"
    if package.loads_module:
        yield "modprobe nvidia || true"
    if debian and package.starts:
        yield f"{LAB}/systemctl.real enable --now --quiet {' '.join(package.starts)}"


def _tree(package: Package, scratch: Path, kind: str) -> Path:
    tree = scratch / kind / package.name
    tree.mkdir(parents=True)
    install(package, tree)
    return tree


def _deb(package: Package, folder: Path, scratch: Path) -> str:
    """Builds it; returns its entry in the index."""
    tree = _tree(package, scratch, "debs")
    control = (
        f"Package: {package.name}\nVersion: {DEBIAN_VERSION}\nArchitecture: all\n"
        f"Maintainer: nodeworthy <lab@localhost>\nDescription: stands in for {package.name}\n"
    )
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "control").write_text(control)
    postinst = tree / "DEBIAN" / "postinst"
    steps = "\n".join(_post(package, debian=True))
    postinst.write_text(f'#!/bin/sh\nset -e\n[ "$1" = configure ] || exit 0\n{steps}\n')
    postinst.chmod(0o755)
    built = folder / f"{package.name}.deb"
    run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, built], seconds=BUILD_SECONDS)
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    return f"{control}Filename: ./{built.name}\nSize: {built.stat().st_size}\nSHA256: {digest}\n"


def _spec(package: Package, scratch: Path) -> Path:
    tree = _tree(package, scratch, "rpms")
    files = [f"/{path.relative_to(tree)}" for path in sorted(tree.rglob("*")) if path.is_file()]
    spec = scratch / f"{package.name}.spec"
    text = SPEC.format(
        name=package.name,
        version=VERSION,
        tree=tree,
        files="\n".join(files),
        post="\n".join(_post(package, debian=False)),
    )
    spec.write_text(text)
    return spec
