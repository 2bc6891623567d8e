"""A node's GPUs, as its bus, its driver and nvidia-smi show them, and how many it has to have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.fleet.model import Driver
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Place,
    Related,
    Unknown,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

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

    @property
    def is_gpu(self) -> bool:
        return self.vendor == NVIDIA and self.kind.startswith(_DISPLAY)

    @property
    def is_switch(self) -> bool:
        return self.vendor == NVIDIA and self.kind.startswith(_BRIDGE)

    @property
    def is_efa(self) -> bool:
        return self.vendor == AMAZON and self.device.startswith(_EFA)


@dataclass(frozen=True)
class HostGpus:
    called: ClassVar[str] = "a node's GPUs"

    place: Place
    # Those that are on its bus.
    there: Located[tuple[Device, ...]]
    # Addresses of those that NVIDIA's driver has taken; none where it is not loaded.
    driven: Located[tuple[str, ...]]
    # NVIDIA's driver is surely not loaded.
    without_driver: bool


# Of nvidia-smi where the driver is loaded, and not one card has started.
_NONE_ANSWERS = "No devices were found"


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
    inforom_broken: bool = False
    # What the driver wants done before it is used again, in its own words; empty where that is nothing.
    wants: str = ""


@dataclass(frozen=True)
class GpuLinks:
    """The NVLinks of a GPU, by the number that nvidia-smi gives it."""

    gpu: str
    count: int
    down: tuple[int, ...]


@dataclass(frozen=True)
class NodeSmi:
    called: ClassVar[str] = "what nvidia-smi says of a node's GPUs"

    place: Place
    gpus: Located[tuple[SaidGpu, ...]]
    lost: tuple[LostGpu, ...] = ()
    # Its words where its libraries are not of the loaded module's version; empty where they are, as far as it says.
    differs: str = ""
    # None where nobody asked.
    links: Located[tuple[GpuLinks, ...]] | None = None

    @property
    def none_answers(self) -> bool:
        """Whether the driver is loaded, and not one card has started."""
        return isinstance(self.gpus.state, Unknown) and _NONE_ANSWERS in self.gpus.state.why

    @property
    def is_silent(self) -> bool:
        """Whether it says nothing of them, neither that they are well nor that there are none."""
        return isinstance(self.gpus.state, Unknown) and not self.none_answers and not self.lost


def gpu_drafts(gpus: HostGpus, identity: NodeIdentity, end: BootEnd, *, is_explained: bool) -> Findings:
    identity.only_with_gpus()
    there = need(gpus.there)
    wanted = expected_gpus(identity)
    if wanted is None:
        if not there:
            skip("how many GPUs there should be is not known, and there is none")
    elif isinstance(wanted.state, Unknown):
        yield unknown(wanted, f"how many GPUs there should be is not known: {wanted.state.why}")
    elif len(there) != wanted.state.value:
        yield _another_count(gpus, there, wanted.state.value, wanted.place)
    yield from _untaken(gpus, there, identity, end, is_explained=is_explained)


def expected_gpus(identity: NodeIdentity) -> Located[int] | None:
    """What the pool says, else the instance type; None where nobody says it."""
    if identity.known_pool is not None:
        return identity.known_pool.gpus_per_node
    of_type = gpus_of(identity.instance_type)
    return Located.known(of_type.count, identity.place.about(identity.instance_type)) if of_type is not None else None


def _another_count(gpus: HostGpus, there: Sequence[Device], wanted: int, place: Place) -> Draft:
    driven = value_if_known(gpus.driven) or ()
    gone = sorted(set(driven) - {each.address for each in there})
    if len(there) > wanted:
        cause = "the fleet says another number than the machine has"
    elif gone:
        cause = f"the driver had {', '.join(gone)}, which the bus does not show any more: it has fallen off"
    else:
        cause = "a GPU that does not answer at boot is not on the bus: broken, or switched off"
    return fail(
        gpus,
        "the bus does not show as many GPUs as there should be",
        is_=f"{len(there)} ({_addresses(there)})",
        should=str(wanted),
        related=[Related(place, f"{wanted} GPUs are declared here")],
        cause=cause,
        remedy="correct gpusPerNode in the fleet" if len(there) > wanted else None,
        link="pci",
    )


def _untaken(
    gpus: HostGpus, there: Sequence[Device], identity: NodeIdentity, end: BootEnd, *, is_explained: bool
) -> Findings:
    if isinstance(gpus.driven.state, Unknown):
        yield unknown(gpus.driven, gpus.driven.state.why)
        return
    left = [each for each in there if each.address not in gpus.driven.state.value]
    if not left:
        return
    if not need(end.reached):
        why = "the driver does not have every GPU, and the boot script has not ended yet"
        yield unknown(gpus, why, link="module")
        return
    if _comes_with_the_operator(identity, gpus):
        why = "the driver does not have the GPUs yet: the operator brings it after the node has joined"
        yield unknown(gpus, why, link="module")
        return
    if others_have(gpus)[0] or is_explained:
        skip("why NVIDIA's driver does not have every GPU, driver-fits says")
    yield fail(
        gpus,
        "NVIDIA's driver has not taken every GPU that is on the bus",
        is_=f"{len(there) - len(left)} of {len(there)}, without {_addresses(left)}",
        should=f"all {len(there)}",
        cause=_why(gpus),
        remedy=_way_out(gpus),
        link="module" if gpus.without_driver else "healthy",
    )


def others_have(gpus: HostGpus) -> tuple[Sequence[str], Sequence[str]]:
    """Which drivers beside NVIDIA's have cards of the bus, and the addresses of these."""
    there = value_if_known(gpus.there) or ()
    held = [each for each in there if each.driver not in ("", "nvidia")]
    return sorted({each.driver for each in held}), [each.address for each in held]


def _comes_with_the_operator(identity: NodeIdentity, gpus: HostGpus) -> bool:
    pool = identity.known_pool
    return pool is not None and pool.driver is Driver.OPERATOR and gpus.driven.state == Known(())


def _way_out(gpus: HostGpus) -> str:
    """A module that the kernel has refused is refused again: first it is asked why."""
    if gpus.without_driver:
        return (
            "see why no module is loaded: modinfo nvidia on the node; ssh HOST sudo dmesg | nodeworthy explain -; "
            "mend that, then load it"
        )
    return "ssh HOST sudo dmesg | nodeworthy explain - says why the driver refused it"


def _why(gpus: HostGpus) -> str:
    if gpus.without_driver:
        return "the nvidia module is not loaded"
    return "the driver has none of them" if gpus.driven.state == Known(()) else "the driver could not start them"


def _addresses(devices: Sequence[Device]) -> str:
    return ", ".join(each.address for each in devices) or "none"
