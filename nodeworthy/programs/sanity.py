"""gpu-sanity and gpu-as-asked: seeded chains of matrix products, copies and memory patterns, on the GPU of this rank.

Each computation is made twice. The checksum is of all bits of the result, so that one flipped bit of one number tells.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import burn
import driver
import look
import say

TEST, AS_ASKED = "gpu-sanity", "gpu-as-asked"
GIB = 1 << 30
ROUNDS = 2
# Products of one lap of a burn: seconds of work of the fastest GPUs there are.
LAP = 1024
# Of torchrun, after the last of its ranks.
ENDS_SECONDS = 15.0
# Of a burn's time, before the GPUs of a node work together.
BY_ITSELF = 0.85


def device() -> tuple[Any, dict[str, str]]:
    """The GPU of this rank and its name; without any, this processor, which is for trying the program out."""
    import torch

    if not torch.cuda.is_available():
        return torch.device("cpu"), {"uuid": f"CPU-{say.NODE}-{say.RANK}", "name": "CPU", "pci": ""}
    torch.cuda.set_device(say.LOCAL_RANK)
    seen = torch.cuda.get_device_properties(say.LOCAL_RANK)
    uuid = str(getattr(seen, "uuid", say.LOCAL_RANK))
    bus = getattr(seen, "pci_bus_id", None)
    pci = "" if bus is None else f"{seen.pci_domain_id:04x}:{bus:02x}:{seen.pci_device_id:02x}.0"
    return torch.device("cuda", say.LOCAL_RANK), {
        "uuid": driver.full_uuid(uuid, seen.name),
        "name": seen.name,
        "pci": pci,
    }


def checksum(tensor: Any) -> str:
    import torch

    raw = tensor.detach().contiguous().view(torch.uint8).cpu().numpy().tobytes()
    return hashlib.blake2b(raw, digest_size=8).hexdigest()


def seconds_of(
    work: Callable[..., Any], where: Any, *given: Any, meanwhile: Callable[[], None] = lambda: None
) -> tuple[float, Any]:
    """Seconds, by the device's own clock: what is queued is not done."""
    import torch

    wait = torch.cuda.synchronize if where.type == "cuda" else (lambda: None)
    wait()
    began = time.perf_counter()
    made = work(*given)
    meanwhile()
    wait()
    return max(time.perf_counter() - began, 1e-9), made


def chain(size: int, dtype: Any, where: Any, steps: int) -> Any:
    """The same numbers on every machine: they are drawn on the processor."""
    left, right = _drawn(size, dtype, where)
    for _ in range(steps):
        left = left @ right
    return left


def _drawn(size: int, dtype: Any, where: Any) -> list[Any]:
    import torch

    draw = torch.Generator().manual_seed(7)
    return [torch.randn(size, size, generator=draw).div(size**0.5).to(dtype).to(where) for _ in range(2)]


def burn_one(where: Any, gpu: dict[str, str], watched: driver.Watched | None) -> None:
    """Results are compared where they are: a GPU that waits for a checksum cools down."""
    import torch

    size = matrix_size(where)
    begin, right = _drawn(size, torch.bfloat16, where)
    first, known = None, ""

    def lap() -> str:
        nonlocal first, known
        made = begin
        for _ in range(LAP):
            made = made @ right
        if first is None:
            first, known = made, checksum(made)
        return known if torch.equal(made, first) else checksum(made)

    alone = burn.until(ENDS_SECONDS, BY_ITSELF if say.WORLD > 1 else 1.0)
    burn.laps(lap, {"kernel": f"burn-bf16-{LAP}", "n": size}, gpu, watched, alone)


def burn_together(where: Any) -> None:
    """Sums over all GPUs of the node, one after the other: their links become hot as well."""
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
    given = torch.empty(burn.SUM_BYTES // 4, device=where)

    def add_up() -> bool:
        given.fill_(say.RANK + 1)
        dist.all_reduce(given)
        return bool((given == say.WORLD * (say.WORLD + 1) / 2).all())

    first, is_right = seconds_of(add_up, where)
    left = max(0.0, burn.until(ENDS_SECONDS) - time.monotonic())
    every: list[Any] = [None] * say.WORLD
    dist.all_gather_object(every, int(left / max(seconds_of(add_up, where)[0], first / 100)))
    sums = [is_right, *(add_up() for _ in range(min(every)))]
    say.measure(TEST, "sum_right", int(all(sums)), at={"op": "all_reduce", "bytes": burn.SUM_BYTES, "sums": len(sums)})
    dist.destroy_process_group()


class Held:
    """Why a GPU was held back, asked of its driver while it works."""

    def __init__(self, watched: driver.Watched | None) -> None:
        self._watched = watched
        self.back: list[str] = []

    def look(self) -> None:
        if self._watched is not None:
            self.back = self._watched.throttled()


def matrix_size(where: Any) -> int:
    return int(os.environ.get("NODEWORTHY_GEMM", "8192" if where.type == "cuda" else "256"))


def gemm(where: Any, gpu: dict[str, str], watched: driver.Watched | None) -> None:
    import torch

    size = matrix_size(where)
    for name, dtype in (("bf16", torch.bfloat16), ("fp32", torch.float32)):
        for round_ in range(1, ROUNDS + 1):
            at = {"n": size, "round": round_}
            made = chain(size, dtype, where, 4)
            say.measure(TEST, "checksum", checksum(made), gpu=gpu, at={"kernel": f"gemm-{name}", **at})
            if name == "bf16":
                held = Held(watched)
                seconds, _ = seconds_of(products(size, dtype, where), where, meanwhile=held.look)
                rate = 8 * 2 * size**3 / seconds / 1e12
                said = {"gpu": gpu, "at": {"dtype": name, **at}, "throttle": held.back}
                say.measure(TEST, "gemm_tflops", round(rate, 3), "TFLOPS", **said)


def products(size: int, dtype: Any, where: Any) -> Callable[[], Any]:
    """Once before it is timed: then all that is made once is made."""
    import torch

    left = torch.ones(size, size, dtype=dtype, device=where)
    seconds_of(left.matmul, where, left)
    return lambda: [left @ left for _ in range(8)]


def copies(where: Any, gpu: dict[str, str]) -> None:
    import torch

    size = GIB if where.type == "cuda" else 1 << 24
    here = torch.empty(size, dtype=torch.uint8, device=where)
    host = torch.empty(size, dtype=torch.uint8, pin_memory=where.type == "cuda")
    there = torch.empty_like(here)
    moves: tuple[tuple[str, Callable[[], Any], int], ...] = (
        ("copy_gbps", lambda: there.copy_(here), 2),  # read and written
        ("h2d_gbps", lambda: here.copy_(host, non_blocking=True), 1),
        ("d2h_gbps", lambda: host.copy_(here, non_blocking=True), 1),
    )
    for name, move, times in moves:
        seconds_of(move, where)
        for round_ in range(1, ROUNDS + 1):
            seconds, _ = seconds_of(move, where)
            at = {"bytes": size, "round": round_}
            say.measure(TEST, name, round(times * size / seconds / 1e9, 3), "GB/s", gpu=gpu, at=at)


def patterns(where: Any, gpu: dict[str, str]) -> None:
    """Words that do not come back as they were written."""
    import torch

    count = (GIB if where.type == "cuda" else 1 << 20) // 8
    wrong = 0
    for word in (0, -1, 0x5555555555555555, -0x5555555555555556):
        written = torch.full((count,), word, dtype=torch.int64, device=where)
        wrong += int((written != word).sum())
    say.measure(TEST, "pattern_errors", wrong, gpu=gpu)


def versions() -> None:
    import torch

    say.measure(TEST, "torch", torch.__version__)
    say.measure(TEST, "cuda", torch.version.cuda or "none")
    driver = "/proc/driver/nvidia/version"
    if os.path.exists(driver):
        with open(driver, encoding="ascii", errors="replace") as file:
            words = file.readline().split()
        said = next((each for each in words if each[:1].isdigit() and "." in each), "")
        say.measure(TEST, "driver", said)


def as_asked() -> None:
    import torch

    where, gpu = device()
    memory = torch.cuda.get_device_properties(where).total_memory >> 20 if where.type == "cuda" else 0
    say.measure(AS_ASKED, "memory_mib", memory, "MiB", gpu=gpu)


def work() -> None:
    where, gpu = device()
    watched = driver.Nvml().of(gpu["uuid"]) if where.type == "cuda" else None
    versions()
    look.counters(watched, gpu, "before")
    gemm(where, gpu, watched)
    copies(where, gpu)
    look.link(watched, gpu)
    patterns(where, gpu)
    if where.type == "cuda":
        with driver.Cuda().device(say.LOCAL_RANK) as plain:
            look.kernels(plain, gpu)
    if burn.IS_WANTED:
        burn_one(where, gpu, watched)
        if say.WORLD > 1:
            burn_together(where)
    look.counters(watched, gpu, "after")


if __name__ == "__main__":
    raise SystemExit(say.run(sys.argv[1], {TEST: work, AS_ASKED: as_asked}[sys.argv[1]]))
