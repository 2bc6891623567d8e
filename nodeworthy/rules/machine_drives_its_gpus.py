"""A machine with GPUs is one that its cloud starts, and whose system may load a driver that drives them.

This is of single machines of Google Cloud and Azure, which no managed cluster makes: pools of nodes have rules of their
own. Three things keep such a machine from its GPUs, whatever its boot script does well:

- Google moves no machine with GPUs to another host while it runs. Its own default, and `on_host_maintenance =
  "MIGRATE"`, is to do so, and it makes no machine with GPUs of that: `Instances with guest accelerators do not support
  live migration`. A machine that may be taken away (Spot, preemptible) is stopped anyway.
- With Secure Boot the kernel loads signed modules alone. A driver that is built on the machine (`cuda-drivers`, DKMS,
  the installer, Azure's extension) is signed by nobody whom the firmware knows, and where the installation asks for a
  password to enroll its key, nobody is there to type it.
- Azure's NVads A10 v5 have shares of a card, which Microsoft's build of NVIDIA's vGPU (GRID) driver drives. The driver
  for data centers, which the HPC images bring and NVIDIA's packages install, finds no device.

Terraform is read: `google_compute_instance` and its templates, `azurerm_linux_virtual_machine` and its scale set, with
what they boot with. What a module makes that was not read, nobody claims anything of.
"""

from __future__ import annotations

from nodeworthy.facts.boot.drivers import NvidiaPackage
from nodeworthy.facts.fleet.gpu_machine import GpuMachine
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Related, Severity, fail, need, unknown

RULE = Rule(
    "machine-drives-its-gpus",
    severity=Severity.ERROR,
    title="A machine with GPUs is started by its cloud, and may load a driver that drives them",
    remedy="write what the cloud asks of machines with GPUs, and let their driver be one that may be loaded there",
)

_STOPS = "TERMINATE"
_STOP_IT = 'scheduling { on_host_maintenance = "TERMINATE" }, with automatic_restart = true where it is to come back'
_UNSIGNED = (
    "the kernel of a machine with Secure Boot loads signed modules alone, and this one is built on the machine and "
    "signed by nobody whom its firmware knows: nvidia-smi finds no driver"
)
_NO_LIVE_MIGRATION = "Google makes no such machine: Instances with guest accelerators do not support live migration"
_FINDS_NONE = (
    "the driver for data centers finds no device where a card is shared: nvidia-smi can't communicate with the driver"
)
_SIGNED = (
    "turn Secure Boot off (secure_boot_enabled = false, enable_secure_boot = false), or let the driver be one that the "
    "distribution has signed (Ubuntu: linux-modules-nvidia-570-server-open-azure, -gcp), or an image that brings one"
)
_VGPU = "install Microsoft's GRID driver (Azure's NVIDIA GPU driver extension does so on these sizes) on a plain image"


@RULE.check
def its_cloud_may_stop_it(machine: GpuMachine) -> Findings:
    upkeep = machine.upkeep
    if upkeep is None:
        return  # Azure asks nobody about it
    hardware = Related(machine.hardware.place, f"it has GPUs: {machine.hardware.shown()}")
    if upkeep.said is not None:
        if need(upkeep.said) != _STOPS:
            yield fail(
                upkeep.said,
                f"{machine.title} has GPUs, and is to be moved to another host while it runs",
                should=_STOPS,
                related=[hardware],
                cause=_NO_LIVE_MIGRATION,
                remedy=f"write {_STOP_IT}",
            )
    elif upkeep.is_open:
        yield unknown(upkeep, f"whether {machine.title} may be stopped when its host is maintained is not known")
    elif not upkeep.is_spot:
        yield fail(
            upkeep,
            f"{machine.title} has GPUs, and nothing says that it may be stopped when its host is maintained",
            is_="no on_host_maintenance, and Google takes MIGRATE",
            should=_STOPS,
            related=[hardware],
            cause=_NO_LIVE_MIGRATION,
            remedy=f"write {_STOP_IT}",
        )


@RULE.check
def its_firmware_lets_the_driver_in(machine: GpuMachine) -> Findings:
    secured = machine.secure_boot
    where = _what_is_built(machine)
    if secured is None or where is None or not need(secured):
        return
    yield fail(
        secured,
        f"{machine.title} boots with Secure Boot, and its driver is one that nobody has signed",
        is_="true",
        should="false",
        related=[where],
        cause=_UNSIGNED,
        remedy=_SIGNED,
    )


def _what_is_built(machine: GpuMachine) -> Related | None:
    if machine.extension is not None:
        return Related(machine.extension.place, "Azure's extension builds NVIDIA's driver there")
    built = machine.built()
    return Related(built.place, f"{built.name} is built there") if built is not None else None


@RULE.check
def its_driver_is_for_its_gpus(machine: GpuMachine) -> Findings:
    if not machine.wants_vgpu:
        return  # its GPUs are whole: NVIDIA's driver for data centers drives them
    image = machine.image_with_cuda
    hardware = Related(machine.hardware.place, f"{need(machine.hardware)} has shares of an A10 (vGPU)")
    if image and machine.image is not None:
        yield fail(
            machine.image,
            f"{machine.title} boots an image whose driver does not drive its GPUs",
            is_=f"{image}, with NVIDIA's driver for data centers",
            should="a plain image, and Microsoft's GRID driver",
            related=[hardware],
            cause=_FINDS_NONE,
            remedy=f"{_VGPU}, or choose a size with whole GPUs (Standard_NC24ads_A100_v4) for this image",
        )
        return
    wrong = next(filter(_is_for_data_centers, machine.installed()), None)
    if wrong is not None:
        yield fail(
            wrong,
            f"{machine.title} installs a driver that does not drive its GPUs",
            is_=wrong.name,
            should="Microsoft's GRID driver",
            related=[hardware],
            cause=_FINDS_NONE,
            remedy=_VGPU,
        )


def _is_for_data_centers(package: NvidiaPackage) -> bool:
    name = package.name.lower()
    return name.startswith(("cuda-drivers", "nvidia-driver-", "nvidia-open", "nvidia-headless-")) and "grid" not in name
