"""data-loading and disk-and-network: how fast workers hand data over, files of this run are written and read, and
something is downloaded.

feeding.py data-loading
feeding.py disk-and-network FOLDER…
"""

from __future__ import annotations

import mmap
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import say

MIB = 1 << 20
# Pictures of the usual size, in batches of the usual size: what waits between two workers and us is more than 64 MiB.
ITEMS, SIZE, BATCH = 256, 3 * 224 * 224, 32
WORKERS = (0, 2, 4, 8)
# Of a download nobody waits longer for, nor takes more.
DOWNLOAD_SECONDS, DOWNLOAD_BYTES = 10.0, 1 << 30
# What comes in less than this is mostly the time to connect, and may be a page that says no.
LEAST_DOWNLOADED = 16 * MIB
# What is memory, and no disk.
_MEMORY = ("tmpfs", "ramfs")


def items() -> Any:
    import torch

    class Items(torch.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return ITEMS

        def __getitem__(self, at: int) -> Any:
            made = torch.arange(SIZE, dtype=torch.float32).sin_()
            return made.mul_(0).add_(at)

    return Items()


def loading() -> None:
    import torch

    test, cpus = "data-loading", len(os.sched_getaffinity(0))
    say.measure(test, "torch", torch.__version__)
    say.measure(test, "cpus", cpus)
    say.measure(test, "omp_num_threads", os.environ.get("OMP_NUM_THREADS", ""))
    say.measure(test, "shm_mib", os.statvfs("/dev/shm").f_bavail * os.statvfs("/dev/shm").f_frsize // MIB, "MiB")
    right = sum(range(ITEMS)) * SIZE
    for workers in WORKERS:
        if workers <= max(2, cpus):
            loader = torch.utils.data.DataLoader(
                items(), batch_size=BATCH, num_workers=workers, timeout=60 if workers else 0
            )
            began = time.perf_counter()
            total = float(sum(float(batch.double().sum()) for batch in loader))
            rate = ITEMS / (time.perf_counter() - began)
            say.measure(test, "sum_right", int(total == right), at={"workers": workers})
            say.measure(test, "items_per_s", round(rate, 2), "items/s", at={"workers": workers})


def disk(folders: list[str]) -> None:
    """Measures the folder that all nodes see and the node's own disk, then the network that leads out of here."""
    size = int(os.environ.get("NODEWORTHY_MIB", "256")) * MIB
    for folder in folders:
        both_ways(folder, "scratch", size)
    own = os.environ.get("NODEWORTHY_LOCAL")
    if own and is_disk_with_room(own, 4 * size):
        both_ways(own, "local", size)
    if "NODEWORTHY_DOWNLOAD" in os.environ:
        download(os.environ["NODEWORTHY_DOWNLOAD"])


def both_ways(folder: str, called: str, size: int) -> None:
    for round_ in (1, 2):
        handle = nameless(folder)
        try:
            at = {"where": called, "bytes": size, "round": round_}
            say.measure("disk-and-network", "write_gbps", round(write(handle, size), 4), "GB/s", at=at)
            say.measure("disk-and-network", "read_gbps", round(read(handle, size), 4), "GB/s", at=at)
        finally:
            os.close(handle)


def nameless(folder: str) -> int:
    """A file that is gone with this process, whatever ends it. Without the page cache, where that can be had."""
    file = os.path.join(folder, f"nodeworthy-{say.NONCE}-{say.NODE}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    try:
        handle = os.open(file, flags | os.O_DIRECT, 0o600)
    except OSError:
        if os.path.exists(file):
            os.unlink(file)  # some filesystems make it, and then refuse it
        handle = os.open(file, flags, 0o600)
    os.unlink(file)
    return handle


def write(handle: int, size: int) -> float:
    block = mmap.mmap(-1, 4 * MIB)
    block.write(os.urandom(4 * MIB))
    began = time.perf_counter()
    for _ in range(size // len(block)):
        os.write(handle, block)
    os.fsync(handle)
    return size / (time.perf_counter() - began) / 1e9


def read(handle: int, size: int) -> float:
    """Reads from the disk: what the page cache has of the file is thrown away first."""
    block = mmap.mmap(-1, 4 * MIB)
    os.lseek(handle, 0, os.SEEK_SET)
    os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    began = time.perf_counter()
    while os.readv(handle, [block]):
        pass
    return size / (time.perf_counter() - began) / 1e9


def is_disk_with_room(folder: str, least: int) -> bool:
    """Whether the folder is on a disk with room; an image may lack the folder, for its name is the host's."""
    if not os.access(folder, os.W_OK | os.X_OK) or filesystem(folder) in _MEMORY:
        return False
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize > least


def filesystem(folder: str) -> str:
    """The kind of the one that it lies on."""
    best, kind = "", ""
    with open("/proc/self/mounts", encoding="utf-8", errors="replace") as mounts:
        for _, point, its, *_ in (each.split() for each in mounts):
            if len(point) >= len(best) and (os.path.realpath(folder) + "/").startswith(point.rstrip("/") + "/"):
                best, kind = point, its
    return kind


def download(url: str) -> None:
    """Downloads as whoever works here would: by the proxy of the environment, if there is one."""
    for round_ in (1, 2):
        count, began = 0, time.perf_counter()
        with urllib.request.urlopen(url, timeout=DOWNLOAD_SECONDS) as answer:  # noqa: S310 - http alone is let in
            while count < DOWNLOAD_BYTES and time.perf_counter() - began < DOWNLOAD_SECONDS:
                block = answer.read(MIB)
                if not block:
                    break
                count += len(block)
        took = time.perf_counter() - began
        if count < LEAST_DOWNLOADED and took < DOWNLOAD_SECONDS:
            raise urllib.error.URLError(
                f"{count} bytes are too few to tell: name a file of {LEAST_DOWNLOADED >> 20} MiB"
            )
        rate = count / took / 1e9
        say.measure("disk-and-network", "download_gbps", round(rate, 4), "GB/s", at={"round": round_})


if __name__ == "__main__":
    if sys.argv[1] == "data-loading":
        raise SystemExit(say.run("data-loading", loading))
    raise SystemExit(say.run("disk-and-network", lambda: disk(sys.argv[2:])))
