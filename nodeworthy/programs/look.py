"""gpu-sanity and gpu-as-asked by the driver alone: for images without torch, and as the first thing on a new GPU.

Two kernels of which every number is known beforehand run on all of a GPU; patterns are written into its memory and read
again; copies are timed; and what the driver counts is read before and after. One process looks at all GPUs in turn.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import burn
import driver
import say

TEST, AS_ASKED = "gpu-sanity", "gpu-as-asked"
ROUNDS = 2
# Enough threads for every unit of any GPU; each of 1024 beginnings is followed by many of them.
BLOCKS, THREADS, BEGINNINGS, STEPS = 4096, 256, 1024, 4096
COPIED = int(os.environ.get("NODEWORTHY_COPIED", str(1 << 30)))
CHUNK = 64 << 20
WORDS = (0, 0xFFFFFFFF, 0x55555555, 0xAAAAAAAA)

_HEAD = """
.version 6.4
.target sm_70
.address_size 64
"""
# Each thread: its beginning, STEPS steps of arithmetic, and the last number into its own place.
_AROUND = """
.visible .entry {name}(.param .u64 out)
{{
    .reg .pred %again;
    .reg .b32 %i<8>;
    .reg .f32 %f<4>;
    .reg .b64 %a<4>;
    ld.param.u64 %a1, [out];
    cvta.to.global.u64 %a1, %a1;
    mov.u32 %i1, %ctaid.x;
    mov.u32 %i2, %ntid.x;
    mov.u32 %i3, %tid.x;
    mad.lo.u32 %i1, %i1, %i2, %i3;
    and.b32 %i4, %i1, {last};
    mov.u32 %i5, 0;
{before}
STEP:
{step}
    add.u32 %i5, %i5, 1;
    setp.lt.u32 %again, %i5, {steps};
    @%again bra STEP;
{after}
    mul.wide.u32 %a2, %i1, 4;
    add.u64 %a3, %a1, %a2;
    st.global.u32 [%a3], %i4;
    ret;
}}
"""
_INTEGERS = {
    "before": "",
    "step": """
    mad.lo.u32 %i4, %i4, 1664525, 1013904223;
    shr.u32 %i6, %i4, 13;
    xor.b32 %i4, %i4, %i6;""",
    "after": "",
}
# 5 x + c, and what is left of that beyond multiples of 4096: whole numbers, of which a float holds every bit.
_FLOATS = {
    "before": """
    cvt.rn.f32.u32 %f1, %i4;
    and.b32 %i6, %i4, 7;
    add.u32 %i6, %i6, 1;
    cvt.rn.f32.u32 %f2, %i6;""",
    "step": """
    fma.rn.f32 %f1, %f1, 0f40A00000, %f2;
    mul.rn.f32 %f3, %f1, 0f39800000;
    cvt.rmi.f32.f32 %f3, %f3;
    fma.rn.f32 %f1, %f3, 0fC5800000, %f1;""",
    "after": "    cvt.rzi.u32.f32 %i4, %f1;",
}
KERNELS = {"integers": _INTEGERS, "floats": _FLOATS}


def ptx(name: str) -> str:
    return _HEAD + _AROUND.format(name=name, last=BEGINNINGS - 1, steps=STEPS, **KERNELS[name])


def kernels(device: driver.Device, gpu: dict[str, str]) -> None:
    size = BLOCKS * THREADS * 4
    for name in KERNELS:
        kernel = device.kernel(ptx(name), name)
        with device.allocated(size) as out, device.pinned(size) as here:
            for round_ in range(1, ROUNDS + 1):
                device.fill(out, 0, size)
                kernel.run(out, BLOCKS, THREADS)
                device.down(here, out, size)
                made = hashlib.blake2b(ctypes.string_at(here, size), digest_size=8).hexdigest()
                say.measure(TEST, "checksum", made, gpu=gpu, at={"kernel": f"driver-{name}", "round": round_})


def copies(device: driver.Device, gpu: dict[str, str], watched: driver.Watched | None) -> None:
    """The link is looked at right after: by then it works as fast as it does."""
    size = min(COPIED, device.free // 4) & ~0xFFF
    with device.allocated(size) as there, device.allocated(size) as other, device.pinned(size) as here:
        moves: tuple[tuple[str, Callable[[], None], int], ...] = (
            ("copy_gbps", lambda: device.across(there, other, size), 2),  # read and written
            ("h2d_gbps", lambda: device.up(there, here, size), 1),
            ("d2h_gbps", lambda: device.down(here, there, size), 1),
        )
        for name, move, times in moves:
            move()
            for round_ in range(1, ROUNDS + 1):
                began = time.perf_counter()
                move()
                seconds = max(time.perf_counter() - began, 1e-9)
                why = watched.throttled() if watched is not None else []
                said = {"gpu": gpu, "at": {"bytes": size, "round": round_}, "throttle": why}
                say.measure(TEST, name, round(times * size / seconds / 1e9, 3), "GB/s", **said)
        link(watched, gpu)


def link(watched: driver.Watched | None, gpu: dict[str, str]) -> None:
    for name, value in (watched.link() if watched is not None else {}).items():
        say.measure(TEST, name, value, gpu=gpu)


def patterns(device: driver.Device, gpu: dict[str, str]) -> None:
    """Words that do not come back as they were written."""
    size = min(COPIED, device.free // 4) & ~0xFFF
    wrong = 0
    with device.allocated(size) as there, device.pinned(min(CHUNK, size)) as here:
        for word in WORDS:
            device.fill(there, word, size)
            wrong += sum(differing(each, word) for each in chunks(device, there, here, size))
    say.measure(TEST, "pattern_errors", wrong, gpu=gpu)


def chunks(device: driver.Device, there: Any, here: Any, size: int) -> Iterator[bytes]:
    for begin in range(0, size, CHUNK):
        some = min(CHUNK, size - begin)
        device.down(here, ctypes.c_uint64(there.value + begin), some)
        yield ctypes.string_at(here, some)


def differing(said: bytes, word: int) -> int:
    """Compared as a whole first: only what is wrong is counted word by word."""
    wanted = word.to_bytes(4, "little")
    if said == wanted * (len(said) // 4):
        return 0
    return sum(said[at : at + 4] != wanted for at in range(0, len(said), 4))


def counters(watched: driver.Watched | None, gpu: dict[str, str], when: str) -> None:
    for name, value in (watched.counters() if watched is not None else {}).items():
        say.measure(TEST, name, value, gpu=gpu, at={"when": when})


def burn_one(device: driver.Device, gpu: dict[str, str], watched: driver.Watched | None, until: float) -> None:
    size = BLOCKS * THREADS * 4
    kernel = device.kernel(ptx("floats"), "floats")
    with device.allocated(size) as out, device.pinned(size) as here:

        def lap() -> str:
            kernel.run(out, BLOCKS, THREADS)
            device.down(here, out, size)
            return hashlib.blake2b(ctypes.string_at(here, size), digest_size=8).hexdigest()

        burn.laps(lap, {"kernel": "driver-floats"}, gpu, watched, until)


def sanity() -> None:
    cuda, nvml = driver.Cuda(), driver.Nvml()
    say.measure(TEST, "driver", nvml.driver)
    say.measure(TEST, "cuda", cuda.version)
    for number, device in enumerate(devices(cuda), start=1):
        gpu = device.gpu
        watched = nvml.of(gpu["uuid"])
        counters(watched, gpu, "before")
        kernels(device, gpu)
        copies(device, gpu, watched)
        patterns(device, gpu)
        if burn.IS_WANTED:  # one after the other, as all is done here
            burn_one(device, gpu, watched, burn.until(spare=3.0, part=number / cuda.count()))
        counters(watched, gpu, "after")


def devices(cuda: driver.Cuda) -> Iterator[driver.Device]:
    for index in range(cuda.count()):
        with cuda.device(index) as device:
            yield device


def as_asked() -> None:
    for device in devices(driver.Cuda()):
        say.measure(AS_ASKED, "memory_mib", device.memory >> 20, "MiB", gpu=device.gpu)


if __name__ == "__main__":
    raise SystemExit(say.run(sys.argv[1], {TEST: sanity, AS_ASKED: as_asked}[sys.argv[1]]))
