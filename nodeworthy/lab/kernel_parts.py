"""A real kernel, the stand-in for NVIDIA's module built for it, and the real kmod: what a kernel probe is made of."""

from __future__ import annotations

import platform
import re
import shutil
from pathlib import Path

from nodeworthy.lab import cache, rootfs
from nodeworthy.lab.archive import Entry, archive
from nodeworthy.lab.commands import LabError, run

SECONDS = 180
QEMU = "qemu-system-x86_64"
PROGRAMS = (QEMU, "apt-get", "dpkg-deb", "gcc", "make")
KERNEL = "linux-image-cloud-amd64"
HEADERS = "linux-headers-cloud-amd64"


def missing() -> list[str]:
    """What is not here; empty where a kernel can be asked."""
    wanting = [program for program in PROGRAMS if shutil.which(program) is None]
    if platform.machine() != "x86_64":
        wanting.append("an x86-64 machine")
    if not wanting and not _newest(KERNEL):
        wanting.append(f"Debian's {KERNEL}")
    return wanting


def kernel_parts() -> Path:
    """A folder with `vmlinuz` and `initramfs`, which lacks nothing but the node's own modprobe.d."""
    made_from = [str(_newest(KERNEL)), str(rootfs.debian()[-1]), *cache.sources("kernel_parts.py", "module/*")]
    return cache.kept("kernel", made_from, _make)


def _make(folder: Path) -> None:
    unpacked = folder / "unpacked"
    _unpack([_newest(KERNEL), *_headers(), "busybox-static"], unpacked)
    release = _newest(KERNEL).removeprefix("linux-image-")
    (unpacked / f"boot/vmlinuz-{release}").rename(folder / "vmlinuz")
    module = _build(unpacked, folder / "source", release)
    (folder / "initramfs").write_bytes(archive(_entries(unpacked, module, release)))
    cache.remove([unpacked, folder / "source"])


def _newest(package: str) -> str:
    """The package that this one stands for; empty where there is none."""
    told = run(["apt-cache", "depends", "--important", package], seconds=120) if shutil.which("apt-cache") else ""
    found = re.search(r"Depends: (\S+)", told)
    return found[1] if found else ""


def _headers() -> list[str]:
    """The headers, what they share with those of other kernels, and the programs that build with them."""
    headers = _newest(HEADERS)
    needed = re.findall(r"Depends: (\S+)", run(["apt-cache", "depends", "--important", headers], seconds=120))
    return [headers, *(each for each in needed if "compiler" not in each)]


def _unpack(packages: list[str], folder: Path) -> None:
    folder.mkdir()
    run(["sh", "-c", 'cd "$0" && apt-get -qq download "$@"', folder, *packages], seconds=SECONDS)
    for package in folder.glob("*.deb"):
        run(["dpkg-deb", "--extract", package, folder], seconds=SECONDS)
        package.unlink()


def _build(unpacked: Path, source: Path, release: str) -> bytes:
    shutil.copytree(cache.HERE / "module", source)
    alone = ["unshare", "--mount", "--propagation=private"]
    run([*alone, "sh", source / "build.sh", unpacked, source, release], seconds=SECONDS)
    return (source / "nvidia.ko").read_bytes()


def _entries(unpacked: Path, module: bytes, release: str) -> list[Entry]:
    base = rootfs.debian()[-1]
    libraries = re.findall(r"(/\S+) \(0x", run(["chroot", base, "ldd", "/bin/kmod"], seconds=120))
    modules = f"lib/modules/{release}"
    entries = [
        Entry("init", (cache.HERE / "module" / "init").read_bytes(), 0o755),
        Entry("bin/busybox", (unpacked / "bin/busybox").read_bytes(), 0o755),
        Entry("bin/modprobe", (base / "bin/kmod").read_bytes(), 0o755),
        Entry(f"{modules}/nvidia.ko", module),
        *(Entry(f"{modules}/{name}", data) for name, data in _index(base, module, release)),
        *(Entry(each.lstrip("/"), (base / each.lstrip("/")).read_bytes(), 0o755) for each in libraries),
    ]
    if not libraries:
        raise LabError("the real kmod names no library that it needs")
    return [Entry("proc"), *entries]


def _index(base: Path, module: bytes, release: str) -> list[tuple[str, bytes]]:
    """What the real depmod makes of the module."""
    where = base / "root" / "kernel-probe"
    modules = where / "lib/modules" / release
    modules.mkdir(parents=True)
    try:
        (modules / "nvidia.ko").write_bytes(module)
        run(["chroot", base, "depmod", "--basedir", f"/{where.relative_to(base)}", release], seconds=120)
        return [(file.name, file.read_bytes()) for file in sorted(modules.glob("modules.*"))]
    finally:
        shutil.rmtree(where)
