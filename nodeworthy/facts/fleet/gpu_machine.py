"""A machine with NVIDIA GPUs that Google Cloud or Azure is asked for by itself, as Terraform writes it: what it is, how
it boots, and what brings its driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.boot.effects import Runs
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.boot.drivers import RUNFILE, NvidiaPackage, drivers
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.hosted_pools import HostedResource
from nodeworthy.facts.fleet.machines import text_of
from nodeworthy.known.cloud_gpus import (
    brings_cudas_driver,
    gpu_of_accelerator,
    gpus_of_machine,
    gpus_of_size,
    takes_vgpu_drivers,
)
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, NotKnown, Place

GOOGLES = ("google_compute_instance", "google_compute_instance_template", "google_compute_region_instance_template")
AZURES = ("azurerm_linux_virtual_machine", "azurerm_linux_virtual_machine_scale_set")
EXTENSIONS = ("azurerm_virtual_machine_extension", "azurerm_virtual_machine_scale_set_extension")
# How Azure calls its extension that installs NVIDIA's driver.
_PUBLISHER, _OF_DRIVERS = "microsoft.hpccompute", "nvidiagpudriverlinux"
# Packages whose module is built on the machine, and signed by nobody whom its firmware knows.
_BUILT = pattern(r"cuda(?:-drivers(?:-\d{3})?|-\d{2}-\d)?|nvidia-open(?:-\d{3})?|(?:kmod-)?nvidia-\S{0,40}dkms\S{0,20}")
# What signs a module, or tells the firmware of a key.
_SIGNS = ("mokutil", "kmodsign", "sign-file")


@dataclass(frozen=True)
class Upkeep:
    """What Google is to do with a machine when its host is maintained."""

    place: Place
    # None where nothing is said.
    said: Located[str] | None
    # Of a machine that Google may take away: it is stopped unless something else is said.
    is_spot: bool
    # How it is paid for is not known, or is one of which nobody here knows what is then done.
    is_open: bool


@dataclass(frozen=True)
class GpuMachine:
    called: ClassVar[str] = "a machine of Google Cloud or Azure with GPUs"

    title: str
    place: Place
    # What says that it has GPUs: its type, its size, an accelerator.
    hardware: Located[str]
    # None of a machine of Azure's.
    upkeep: Upkeep | None
    # Whether its firmware takes signed code alone; None where that is not said.
    secure_boot: Located[bool] | None
    # As its cloud names it; None where it is not said so.
    image: Located[str] | None
    # What Azure's extension for drivers is called here, and where it stands.
    extension: HostedResource | None = None
    scripts: tuple[BootScript, ...] = ()

    @property
    def wants_vgpu(self) -> bool:
        """Whether its GPUs are shares that Azure drives by NVIDIA's driver for virtual GPUs."""
        kind = self.hardware.state
        return isinstance(kind, Known) and takes_vgpu_drivers(kind.value)

    @property
    def image_with_cuda(self) -> str:
        """The image, where it brings NVIDIA's driver for data centers."""
        said = self.image.state if self.image is not None else None
        named = said.value if isinstance(said, Known) else ""
        return named if brings_cudas_driver(named) else ""

    def installed(self) -> Iterator[NvidiaPackage]:
        """The drivers that its boot scripts install."""
        for each in self.scripts:
            try:
                yield from drivers(each.timeline)
            except NotKnown:
                continue

    def built(self) -> NvidiaPackage | None:
        """The driver whose module a script builds there, where none of them signs it."""
        if any(_signs(each) for each in self.scripts):
            return None
        return next(filter(is_built, self.installed()), None)


def is_built(package: NvidiaPackage) -> bool:
    return package.effect.manager == RUNFILE or _BUILT.fullmatch(package.name.partition("=")[0]) is not None


def _signs(script: BootScript) -> bool:
    try:
        runs = script.timeline.of(Runs)
        return any(word in each.shown() for run in runs for each in run.arguments for word in _SIGNS)
    except NotKnown:
        return True


def machine_in(resource: HostedResource, scripts: Sequence[BootScript]) -> GpuMachine | None:
    """None where nothing says that it has GPUs of NVIDIA's."""
    is_googles = resource.type in GOOGLES
    hardware = _of_google(resource) if is_googles else _of_azure(resource)
    if hardware is None:
        return None
    secured = (
        resource.block("shielded_instance_config").get("enable_secure_boot")
        if is_googles
        else resource.values.get("secure_boot_enabled")
    )
    is_said = isinstance(secured.value, bool) or secured.is_unknown
    return GpuMachine(
        f"{resource.type}.{resource.name}",
        resource.place,
        hardware,
        _upkeep(resource) if is_googles else None,
        secured.located() if is_said else None,
        None if is_googles else _image_of_azure(resource),
        scripts=tuple(scripts),
    )


def _of_google(resource: HostedResource) -> Located[str] | None:
    accelerator, machine = resource.block("guest_accelerator"), resource.values.get("machine_type")
    kind, count = accelerator.get("type"), accelerator.get("count")
    if machine.text is not None and gpus_of_machine(machine.text.rpartition("/")[2]) is not None:
        return text_of(machine)
    has_some = isinstance(count.value, int) and not isinstance(count.value, bool) and count.value > 0
    is_known = kind.text is not None and gpu_of_accelerator(kind.text.rpartition("/")[2]) is not None
    return text_of(kind) if has_some and is_known else None


def _of_azure(resource: HostedResource) -> Located[str] | None:
    name = "sku" if resource.type.endswith("_scale_set") else "size"
    size = resource.values.get(name)
    has = gpus_of_size(size.text) if size.text is not None else None
    return text_of(size) if has is not None and has.gpu is not None else None


def _upkeep(resource: HostedResource) -> Upkeep:
    said = resource.block("scheduling")
    kind, preempted = said.get("provisioning_model"), said.get("preemptible")
    is_spot = kind.text == "SPOT" or preempted.value is True
    is_open = said.is_unknown or kind.is_unknown or preempted.is_unknown or kind.text not in (None, "STANDARD", "SPOT")
    where = said.place if not said.is_absent else resource.place
    return Upkeep(where, text_of(said.get("on_host_maintenance")), is_spot, is_open)


def _image_of_azure(resource: HostedResource) -> Located[str] | None:
    said = resource.block("source_image_reference")
    parts: Mapping[str, Tree] = {name: said.get(name) for name in ("publisher", "offer")}
    if any(each.text is None for each in parts.values()):
        return None
    return Located.known(":".join(each.string for each in parts.values()), parts["offer"].place)


def installs_drivers(extension: HostedResource) -> bool:
    publisher, kind = (extension.values.get(name).string.lower() for name in ("publisher", "type"))
    return publisher == _PUBLISHER and kind == _OF_DRIVERS
