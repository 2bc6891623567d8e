"""What a node has of its GPUs: on its buses, NVIDIA's kernel module, and what its driver says by nvidia-smi -q."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, skip

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


@dataclass(frozen=True)
class LostGpu:
    address: str
    says: str


@dataclass(frozen=True)
class SaidGpu:
    address: str
    # Of the fabric between NVSwitches; empty where it is of none.
    fabric_state: str = ""
    fabric_status: str = ""
    # Errors since the driver was loaded that ECC could not mend, by kind.
    uncorrectable: tuple[tuple[str, int], ...] = ()
    remap_pending: bool = False
    remap_failed: bool = False


@dataclass(frozen=True)
class NodeSmi:
    place: Place
    gpus: Located[tuple[SaidGpu, ...]]
    lost: tuple[LostGpu, ...] = ()
    # For how many seconds fabric manager has run; None where that is not known.
    fabric_age: int | None = None


def same_gpu(one: str, other: str) -> bool:
    """00000000:CA:00.0 is 0000:ca:00.0, and 0000:ca:00 in the kernel's log."""
    return _short(one) == _short(other)


def _short(address: str) -> str:
    domain, _, rest = address.lower().strip().partition(":")
    return f"{domain[-4:]}:{rest.partition('.')[0]}"


@dataclass(frozen=True)
class OptionLine:
    """A line of a file of modprobe, or an option of the kernel's command line."""

    place: Place
    path: str
    text: str

    def related(self) -> Related:
        return Related(self.place, f"{self.path} has: {self.text}")


@dataclass(frozen=True)
class NodeDriver:
    place: Place
    is_loaded: Located[bool]
    version: Located[str]
    # RmProfilingAdminOnly, as the loaded module has it.
    admin_only: Located[str]
    options: tuple[OptionLine, ...]
    # Why what modprobe is told was not read; None where it was.
    options_unread: str | None
    # Fabric manager's unit, and its version.
    fabric_unit: NodeUnits | None
    fabric_version: Located[str]
    # The cgroups of one that runs outside of its unit, as the operator's container brings it.
    fabric_in: tuple[str, ...] = ()

    def only_loaded(self) -> None:
        """Skips where it is not loaded: that is told once, by the count of GPUs that it has."""
        if self.is_loaded.state == Known(False):
            skip("the nvidia module is not loaded, which gpu-count-complete judges")
