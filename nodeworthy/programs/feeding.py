"""data-loading and disk-and-network: how fast workers hand data over, and files of this run are written and read.

feeding.py data-loading
feeding.py disk-and-network FOLDER…
"""

from __future__ import annotations

import mmap
import os
import sys
import time
from typing import Any

import say

MIB = 1 << 20
# Pictures of the usual size, in batches of the usual size: what waits between two workers and us is more than 64 MiB.
ITEMS, SIZE, BATCH = 256, 3 * 224 * 224, 32
WORKERS = (0, 2, 4, 8)
FAULT = os.environ.get("NODEWORTHY_FAULT", "")


def items() -> Any:
    import torch

    class Items(torch.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return ITEMS

        def __getitem__(self, at: int) -> Any:
            if FAULT == "killed-worker" and at == ITEMS // 2 and torch.utils.data.get_worker_info() is not None:
                os.kill(os.getpid(), 9)
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
    """A file of our own, without the page cache, and removed whatever happens."""
    size = int(os.environ.get("NODEWORTHY_MIB", "256"))
    for number, folder in enumerate(folders):
        file = os.path.join(folder, f"nodeworthy-{say.NONCE}-{say.NODE}")
        try:
            for round_ in (1, 2):
                at = {"where": "scratch" if number == 0 else "local", "bytes": size * MIB, "round": round_}
                say.measure("disk-and-network", "write_gbps", round(write(file, size), 4), "GB/s", at=at)
                say.measure("disk-and-network", "read_gbps", round(read(file, size), 4), "GB/s", at=at)
        finally:
            if os.path.exists(file):
                os.unlink(file)


def open_file(file: str, flags: int) -> int:
    """Where a filesystem can't do without its cache, it is emptied of this file instead."""
    try:
        return os.open(file, flags | os.O_DIRECT, 0o600)
    except OSError:
        return os.open(file, flags, 0o600)


def write(file: str, size: int) -> float:
    block = mmap.mmap(-1, 4 * MIB)
    block.write(os.urandom(4 * MIB))
    handle = open_file(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    began = time.perf_counter()
    try:
        for _ in range(size // 4):
            os.write(handle, block)
        os.fsync(handle)
    finally:
        os.close(handle)
    return size * MIB / (time.perf_counter() - began) / 1e9


def read(file: str, size: int) -> float:
    block = mmap.mmap(-1, 4 * MIB)
    handle = open_file(file, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        began = time.perf_counter()
        while os.readv(handle, [block]):
            pass
    finally:
        os.close(handle)
    return size * MIB / (time.perf_counter() - began) / 1e9


if __name__ == "__main__":
    if sys.argv[1] == "data-loading":
        raise SystemExit(say.run("data-loading", loading))
    raise SystemExit(say.run("disk-and-network", lambda: disk(sys.argv[2:])))
