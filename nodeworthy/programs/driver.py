"""The driver's own two libraries, called without anything between: libcuda, and libnvidia-ml.

The container runtime mounts both beside the devices, so that they are there in any image, with torch or without.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PAGE_LOCKED = 0
# Of NVML: uncorrected, and since the driver was loaded.
_UNCORRECTED, _VOLATILE = 1, 0
_NOT_SUPPORTED = 3
# Of its sensors and its clocks.
_OF_THE_GPU, _OF_THE_SM = 0, 1
# What it answers of the UUID of a slice, by its release.
_NO_SUCH_DEVICE = (2, 3, 6)
# Why a GPU runs slower than it can, as nvidia-smi -q calls it; that it is idle is no reason.
_POWER_CAP = 0x04
_THROTTLED = {
    0x02: "applications clocks setting",
    _POWER_CAP: "SW power cap",
    0x08: "HW slowdown",
    0x10: "sync boost",
    0x20: "SW thermal slowdown",
    0x40: "HW thermal slowdown",
    0x80: "HW power brake slowdown",
    0x100: "display clock setting",
}


def full_uuid(uuid: str, name: str) -> str:
    """The identifier as NVML spells it: a slice's says that it is one."""
    return f"{'MIG' if ' MIG ' in name else 'GPU'}-{uuid}"


class DriverError(Exception):
    """What the driver answered, by the name of the call; with its number, where it gave one."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


def library(name: str) -> Any:
    try:
        return ctypes.CDLL(name)
    except OSError as problem:
        raise DriverError(f"cuda: {name} is not there: {problem}") from None


class Cuda:
    """libcuda: the GPUs that this process may use, in its order."""

    def __init__(self) -> None:
        self._lib = library("libcuda.so.1")
        # Whose context is this thread's: an error says it.
        self._who = ""
        self.call("cuInit", 0)

    def call(self, name: str, *given: Any) -> None:
        status = getattr(self._lib, name)(*given)
        if status:
            raise DriverError(f"{self._who}cuda: {name}: {self._words(status)}", status)

    def _words(self, status: int) -> str:
        said = ctypes.c_char_p()
        self._lib.cuGetErrorString(status, ctypes.byref(said))
        return f"{(said.value or b'unknown error').decode()} ({status})"

    @property
    def version(self) -> str:
        """The newest version of CUDA that this driver supports."""
        number = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(number))
        return f"{number.value // 1000}.{number.value % 1000 // 10}"

    def count(self) -> int:
        number = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(number))
        return number.value

    @contextmanager
    def device(self, index: int) -> Iterator[Device]:
        """The device with its context, which all of a process share, torch included."""
        handle, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(handle), index)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self._who = f"GPU {index}: "
        try:
            self.call("cuCtxSetCurrent", context)
            yield Device(self, handle)
        finally:
            self._who = ""
            self._lib.cuDevicePrimaryCtxRelease_v2(handle)


class Device:
    """One GPU, or one slice of it, whose context is this thread's."""

    def __init__(self, cuda: Cuda, handle: ctypes.c_int) -> None:
        self.call = cuda.call
        self._handle = handle

    @property
    def gpu(self) -> dict[str, str]:
        name, bus, uuid = (ctypes.create_string_buffer(size) for size in (96, 16, 16))
        self.call("cuDeviceGetName", name, len(name), self._handle)
        self.call("cuDeviceGetPCIBusId", bus, len(bus), self._handle)
        # Of a slice the slice's own.
        self.call("cuDeviceGetUuid_v2", uuid, self._handle)
        plain = uuid.raw.hex()
        parts = [plain[begin:end] for begin, end in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))]
        called = name.value.decode("utf-8", "replace")
        return {"uuid": full_uuid("-".join(parts), called), "name": called, "pci": bus.value.decode().lower()}

    @property
    def memory(self) -> int:
        size = ctypes.c_size_t()
        self.call("cuDeviceTotalMem_v2", ctypes.byref(size), self._handle)
        return size.value

    @property
    def free(self) -> int:
        free, size = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(size))
        return free.value

    @contextmanager
    def allocated(self, size: int) -> Iterator[ctypes.c_uint64]:
        there = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(there), ctypes.c_size_t(size))
        try:
            yield there
        finally:
            self.call("cuMemFree_v2", there)

    @contextmanager
    def pinned(self, size: int) -> Iterator[ctypes.c_void_p]:
        """Memory of the host, locked in its place."""
        here = ctypes.c_void_p()
        self.call("cuMemHostAlloc", ctypes.byref(here), ctypes.c_size_t(size), PAGE_LOCKED)
        try:
            yield here
        finally:
            self.call("cuMemFreeHost", here)

    def wait(self) -> None:
        self.call("cuCtxSynchronize")

    def fill(self, there: ctypes.c_uint64, word: int, size: int) -> None:
        self.call("cuMemsetD32_v2", there, ctypes.c_uint(word), ctypes.c_size_t(size // 4))

    def up(self, there: ctypes.c_uint64, here: ctypes.c_void_p, size: int) -> None:
        self.call("cuMemcpyHtoD_v2", there, here, ctypes.c_size_t(size))

    def down(self, here: ctypes.c_void_p, there: ctypes.c_uint64, size: int) -> None:
        self.call("cuMemcpyDtoH_v2", here, there, ctypes.c_size_t(size))

    def across(self, there: ctypes.c_uint64, other: ctypes.c_uint64, size: int) -> None:
        self.call("cuMemcpyDtoD_v2", there, other, ctypes.c_size_t(size))
        self.wait()

    def kernel(self, text: str, name: str) -> Kernel:
        """The driver compiles its text for this GPU."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode())
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return Kernel(self, function)


class Kernel:
    def __init__(self, device: Device, function: ctypes.c_void_p) -> None:
        self._device = device
        self._function = function

    def run(self, out: ctypes.c_uint64, blocks: int, threads: int) -> None:
        given = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(out), ctypes.c_void_p))
        shape = (blocks, 1, 1, threads, 1, 1)
        self._device.call("cuLaunchKernel", self._function, *shape, 0, None, given, None)
        self._device.wait()


class Nvml:
    """libnvidia-ml: what the driver counts and knows of each GPU that this container sees."""

    def __init__(self) -> None:
        self._lib = library("libnvidia-ml.so.1")
        status = self._lib.nvmlInit_v2()
        if status:
            raise DriverError(f"nvml: nvmlInit_v2 answered {status}")

    def of(self, uuid: str) -> NvmlGpu | None:
        """None of what it does not count by itself, such as a slice."""
        handle = ctypes.c_void_p()
        status = self._lib.nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle))
        if status in _NO_SUCH_DEVICE:
            return None
        if status:
            raise DriverError(f"nvml: nvmlDeviceGetHandleByUUID answered {status} of {uuid}")
        return NvmlGpu(self._lib, handle)

    @property
    def driver(self) -> str:
        said = ctypes.create_string_buffer(80)
        self._lib.nvmlSystemGetDriverVersion(said, len(said))
        return said.value.decode("ascii", "replace")


class NvmlGpu:
    """One GPU as NVML knows it. What it does not support is left out."""

    def __init__(self, lib: Any, handle: ctypes.c_void_p) -> None:
        self._lib = lib
        self._handle = handle

    def _number(self, name: str, *given: Any, kind: Any = ctypes.c_uint) -> int | None:
        value = kind()
        status = getattr(self._lib, name)(self._handle, *given, ctypes.byref(value))
        if status == _NOT_SUPPORTED:
            return None
        if status:
            raise DriverError(f"nvml: {name} answered {status}")
        return int(value.value)

    def counters(self) -> dict[str, int]:
        wide = ctypes.c_ulonglong
        errors = self._number("nvmlDeviceGetTotalEccErrors", _UNCORRECTED, _VOLATILE, kind=wide)
        found = {"ecc_uncorrected": errors, "remapped_rows": self._remapped()}
        return {name: value for name, value in found.items() if value is not None}

    def _remapped(self) -> int | None:
        """Rows that took another's place because one of their bits could not be corrected."""
        corrected, uncorrected, pending, failed = (ctypes.c_uint() for _ in range(4))
        every = (ctypes.byref(each) for each in (corrected, uncorrected, pending, failed))
        status = self._lib.nvmlDeviceGetRemappedRows(self._handle, *every)
        if status == _NOT_SUPPORTED:
            return None
        if status:
            raise DriverError(f"nvml: nvmlDeviceGetRemappedRows answered {status}")
        return uncorrected.value

    def link(self) -> dict[str, int]:
        """The state of its PCIe link under load: a GPU at rest slows it down."""
        calls = {
            "link_gen": "nvmlDeviceGetCurrPcieLinkGeneration",
            "link_gen_max": "nvmlDeviceGetMaxPcieLinkGeneration",
            "link_width": "nvmlDeviceGetCurrPcieLinkWidth",
            "link_width_max": "nvmlDeviceGetMaxPcieLinkWidth",
        }
        found = {name: self._number(call) for name, call in calls.items()}
        return {name: value for name, value in found.items() if value is not None}

    def state(self) -> dict[str, int]:
        """The state in degrees, watts and megahertz."""
        milliwatts = self._number("nvmlDeviceGetPowerUsage")
        found = {
            "temperature_c": self._number("nvmlDeviceGetTemperature", _OF_THE_GPU),
            "power_w": None if milliwatts is None else milliwatts // 1000,
            "sm_mhz": self._number("nvmlDeviceGetClockInfo", _OF_THE_SM),
        }
        return {name: value for name, value in found.items() if value is not None}

    def throttled(self) -> list[str]:
        bits = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong) or 0
        if not self._has_lowered_power():
            bits &= ~_POWER_CAP
        return [called for bit, called in _THROTTLED.items() if bits & bit]

    def _has_lowered_power(self) -> bool:
        """At the limit that it is made for, a GPU that works is always held by it, and as fast as it can be."""
        now = self._number("nvmlDeviceGetEnforcedPowerLimit")
        made_for = self._number("nvmlDeviceGetPowerManagementDefaultLimit")
        return now is not None and made_for is not None and now < made_for
