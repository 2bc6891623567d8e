"""The system that every node starts from: Debian's own, with cloud-init, made once and kept."""

from __future__ import annotations

import inspect
import os
import shutil
import tempfile
from pathlib import Path

from nodeworthy.known.containerd import containerd_of, defaults, registries
from nodeworthy.lab import cache, packages
from nodeworthy.lab.commands import run

MAKE_SECONDS = 600
DEBIAN_PACKAGES = """
systemd systemd-sysv dbus udev cloud-init kmod iproute2 procps python3-minimal ca-certificates netbase dnf sudo
""".split()
UNITS_OFF = ("apt-daily.timer", "apt-daily-upgrade.timer", "e2scrub_all.timer", "fstrim.timer", "dpkg-db-backup.timer")
MODULES = ("nvidia", "nvidia-uvm", "nvidia-modeset", "nvidia-drm")

# What of this machine's apt settings concerns the way to the mirrors.
WAYS = ("Acquire::http", "Acquire::https", "Acquire::Check-Valid-Until", "Acquire::Check-Date", "Acquire::Retries")

CLOUD = """\
datasource_list: [NoCloud, None]
network: {config: disabled}
disable_root: false
users: []
locale: false
apt: {preserve_sources_list: true}
"""
# For the stand-ins.
PATHS = {
    "CONTAINERD_CONFIG": defaults().config,
    "IMAGE_CONTAINERD_CONFIG": containerd_of("eks-ubuntu").written_from,
    "CERTS_D": registries().hosts[0],
    "CONTAINERD_SOCKET": defaults().socket,
    "DROP_IN": defaults().drop_in,
}
APT = f"deb [trusted=yes] file:{packages.LAB}/deb ./\n"
DNF = f"[lab]\nname=lab\nbaseurl=file://{packages.LAB}/rpm\ngpgcheck=0\n"


def debian() -> list[Path]:
    """The layers of a node, the uppermost first: the lab's own programs and repositories over Debian."""
    base = _base()
    return [_lab(base), base]


def _base() -> Path:
    made_from = [*DEBIAN_PACKAGES, *MODULES, os.uname().release, _codename(), inspect.getsource(_make)]
    return cache.cached_folder("base", made_from, _make)


def _lab(base: Path) -> Path:
    made_from = [str(base), *cache.sources("rootfs.py", "packages.py", "programs/*", "units/*")]
    return cache.cached_folder("lab", made_from, lambda folder: _make_lab(folder, base))


def _make(folder: Path) -> None:
    """Makes the root filesystem with the sources of this machine's own apt, and with its settings where they concern
    the way to them."""
    include = ",".join(DEBIAN_PACKAGES)
    settings = [f"--aptopt={line}" for line in _apt_settings()]
    command = ["mmdebstrap", "--mode=root", "--variant=apt", "--quiet", f"--include={include}", *settings]
    run([*command, _codename(), folder, *_apt_sources()], seconds=MAKE_SECONDS)
    (folder / "etc/apt/apt.conf.d/99mmdebstrap").unlink(missing_ok=True)
    for source in [folder / "etc/apt/sources.list", *(folder / "etc/apt/sources.list.d").iterdir()]:
        source.unlink(missing_ok=True)
    for module in MODULES:
        write(folder / "lib/modules" / os.uname().release / f"{module}.ko", "")
    # It complains that they are empty, and makes the index all the same.
    run(["chroot", folder, "depmod", os.uname().release], seconds=120)


def _make_lab(folder: Path, base: Path) -> None:
    write(folder / "etc/machine-id", "")
    write(folder / "etc/cloud/cloud.cfg.d/99-lab.cfg", CLOUD)
    write(folder / "etc/apt/sources.list.d/lab.list", APT)
    write(folder / "etc/yum.repos.d/lab.repo", DNF)
    paths = "".join(f"{name}={path}\n" for name, path in PATHS.items())
    write(folder / packages.LAB.lstrip("/") / "paths", paths)
    for unit in UNITS_OFF:
        link(folder / "etc/systemd/system" / unit, "/dev/null")
    link(folder / "usr/bin/yum", "dnf")
    lab = folder / packages.LAB.lstrip("/")
    shutil.copy2(base / "usr/bin/systemctl", lab / "systemctl.real")
    for name, where in (("record", lab), ("systemctl", folder / "usr/bin"), ("modprobe", folder / "usr/sbin")):
        write(where / name, (cache.HERE / "programs" / name).read_text(), 0o755)
    with tempfile.TemporaryDirectory(dir=cache.home()) as scratch:
        packages.make_repositories(lab, Path(scratch))


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def link(path: Path, target: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _apt_sources() -> list[Path]:
    apt = Path("/etc/apt")
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]
    files += sorted((apt / "sources.list.d").glob("*.sources"))
    return [file for file in files if file.exists() and _codename() in file.read_text()]


def _apt_settings() -> list[str]:
    """`Acquire::http::Proxy "…";` and the like."""
    dump = run(["apt-config", "dump", "--no-empty", *WAYS], seconds=120)
    return dump.splitlines()


def _codename() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        name, _, value = line.partition("=")
        if name == "VERSION_CODENAME":
            return value.strip('"')
    return "stable"
