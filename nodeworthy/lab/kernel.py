"""Asks a real kernel what it loads NVIDIA's module with, given the files that a node had for modprobe."""

from __future__ import annotations

import itertools
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from nodeworthy.lab import cache, rootfs
from nodeworthy.lab.commands import LabError, run, tail
from nodeworthy.records import dataclass

PROBE_SECONDS = 180
# microvm has no ACPI: the kernel ends by a triple fault, which ends the machine.
COMMAND_LINE = "console=ttyS0 quiet panic=-1 reboot=t"


def module_parameters(*modprobe_d: Mapping[str, str], command_line: str = "") -> list[dict[str, str]]:
    """What /proc/driver/nvidia/params shows, for each set of files: by their path, as they were when it was loaded."""
    parts = _kernel_parts()
    files = [KernelFile(f"cases/{number}") for number in range(len(modprobe_d))]
    for number, each in enumerate(modprobe_d):
        files += [KernelFile(f"cases/{number}{_here(path)}", text.encode()) for path, text in sorted(each.items())]
    with tempfile.TemporaryDirectory(dir=cache.home()) as folder:
        initramfs = Path(folder) / "initramfs"
        initramfs.write_bytes((parts / "initramfs").read_bytes() + _archive(files))
        said = run(_machine(parts / "vmlinuz", initramfs, f"{COMMAND_LINE} {command_line}"), seconds=PROBE_SECONDS)
    return [_params(said, number) for number in range(len(modprobe_d))]


def _here(path: str) -> str:
    """The kernel's first file system is so small that /usr/lib is not in it."""
    return path.removeprefix("/usr") if path.startswith("/usr/lib/") else path


def _params(said: str, number: int) -> dict[str, str]:
    lines = [line.strip() for line in said.splitlines()]
    if f"case {number}" not in lines:
        raise LabError(f"the kernel did not say what it loaded: {tail(said)}")
    rows = itertools.takewhile(lambda line: line != "end of case", lines[lines.index(f"case {number}") + 1 :])
    return {name: value for name, colon, value in (row.partition(": ") for row in rows) if colon}


def _machine(kernel: Path, initramfs: Path, command_line: str) -> list[str | Path]:
    """The machine without KVM, which may be there and of no use; three seconds are short enough."""
    machine = ["-M", "microvm,acpi=off,rtc=on,isa-serial=on", "-accel", "tcg", "-m", "256", "-no-reboot"]
    nothing_else = ["-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio"]
    return [QEMU, *machine, *nothing_else, "-kernel", kernel, "-initrd", initramfs, "-append", command_line]


END = "TRAILER!!!"


@dataclass(frozen=True)
class KernelFile:
    """A file; a folder where it has no content."""

    name: str
    content: bytes | None = None
    mode: int = 0o644


def _archive(entries: Iterable[KernelFile]) -> bytes:
    """Folders are made as they are needed."""
    written = bytearray()
    folders: set[str] = set()
    for number, entry in enumerate(_with_folders(entries, folders), start=1):
        written += _record(number, entry)
    return bytes(written + _record(0, KernelFile(END, b"", 0)))


def _with_folders(entries: Iterable[KernelFile], made: set[str]) -> Iterable[KernelFile]:
    for entry in entries:
        above = [str(folder) for folder in reversed(PurePosixPath(entry.name).parents) if str(folder) != "."]
        names = above if entry.content is not None else [*above, entry.name]
        for name in names:
            if name not in made:
                made.add(name)
                yield KernelFile(name, None, 0o755)
        if entry.content is not None:
            yield entry


def _record(number: int, entry: KernelFile) -> bytes:
    kind = stat.S_IFDIR if entry.content is None else stat.S_IFREG
    content, name = entry.content or b"", entry.name.encode() + b"\0"
    mode = kind | entry.mode if entry.name != END else 0
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % each for each in fields)
    return _padded(header + name) + _padded(content)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


SECONDS = 180
QEMU = "qemu-system-x86_64"
PROGRAMS = (QEMU, "apt-get", "dpkg-deb", "gcc", "make")
KERNEL = "linux-image-cloud-amd64"
HEADERS = "linux-headers-cloud-amd64"


def missing_for_a_kernel() -> list[str]:
    """What is not here; empty where a kernel can be asked."""
    wanting = [program for program in PROGRAMS if shutil.which(program) is None]
    if platform.machine() != "x86_64":
        wanting.append("an x86-64 machine")
    if not wanting and not _newest(KERNEL):
        wanting.append(f"Debian's {KERNEL}")
    return wanting


def _kernel_parts() -> Path:
    """A folder with `vmlinuz` and `initramfs`, which lacks nothing but the node's own modprobe.d."""
    made_from = [str(_newest(KERNEL)), str(rootfs.debian()[-1]), *cache.sources("kernel.py", "module/*")]
    return cache.cached_folder("kernel", made_from, _make)


def _make(folder: Path) -> None:
    unpacked = folder / "unpacked"
    _unpack([_newest(KERNEL), *_headers(), "busybox-static"], unpacked)
    release = _newest(KERNEL).removeprefix("linux-image-")
    (unpacked / f"boot/vmlinuz-{release}").rename(folder / "vmlinuz")
    module = _build(unpacked, folder / "source", release)
    (folder / "initramfs").write_bytes(_archive(_entries(unpacked, module, release)))
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


def _entries(unpacked: Path, module: bytes, release: str) -> list[KernelFile]:
    base = rootfs.debian()[-1]
    libraries = re.findall(r"(/\S+) \(0x", run(["chroot", base, "ldd", "/bin/kmod"], seconds=120))
    modules = f"lib/modules/{release}"
    entries = [
        KernelFile("init", (cache.HERE / "module" / "init").read_bytes(), 0o755),
        KernelFile("bin/busybox", (unpacked / "bin/busybox").read_bytes(), 0o755),
        KernelFile("bin/modprobe", (base / "bin/kmod").read_bytes(), 0o755),
        KernelFile(f"{modules}/nvidia.ko", module),
        *(KernelFile(f"{modules}/{name}", data) for name, data in _index(base, module, release)),
        *(KernelFile(each.lstrip("/"), (base / each.lstrip("/")).read_bytes(), 0o755) for each in libraries),
    ]
    if not libraries:
        raise LabError("the real kmod names no library that it needs")
    return [KernelFile("proc"), *entries]


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
