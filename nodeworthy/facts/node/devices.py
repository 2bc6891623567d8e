"""What a node has on its buses that belongs to its GPUs: GPUs, NVSwitches, EFA interfaces."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

NVIDIA, AMAZON = "0x10de", "0x1d0f"
# A display or 3D controller; a bridge, which NVIDIA's are NVSwitches. Amazon's EFA by its device.
_DISPLAY, _BRIDGE, _EFA = "0x03", "0x0680", "0xefa"


@dataclass(frozen=True)
class Device:
    address: str
    vendor: str
    device: str
    kind: str
    # The kernel's driver that has it.
    driver: str


@dataclass(frozen=True)
class NodeDevices:
    place: Place
    bus: Located[tuple[Device, ...]]
    # Addresses of the GPUs that NVIDIA's driver has taken; none where it is not loaded.
    driven: Located[tuple[str, ...]]
    # EFA interfaces that the kernel offers to programs.
    efa: Located[tuple[str, ...]]


def gpus(bus: Sequence[Device]) -> list[Device]:
    return [each for each in bus if each.vendor == NVIDIA and each.kind.startswith(_DISPLAY)]


def switches(bus: Sequence[Device]) -> list[Device]:
    return [each for each in bus if each.vendor == NVIDIA and each.kind.startswith(_BRIDGE)]


def efa_devices(bus: Sequence[Device]) -> list[Device]:
    return [each for each in bus if each.vendor == AMAZON and each.device.startswith(_EFA)]
