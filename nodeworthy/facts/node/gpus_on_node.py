"""How many GPUs a node shows, against how many it has to have."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.node.gpus import Device, NodeDevices, NodeDriver, NodeSmi, SaidGpu, gpus, same_gpu
from nodeworthy.facts.node.node import Node
from nodeworthy.facts.node.seen import read_then
from nodeworthy.fleet.model import Driver, Pool
from nodeworthy.known.instances import gpus_of
from nodeworthy.verdict import (
    Draft,
    Findings,
    Known,
    Located,
    Place,
    Related,
    Severity,
    Unknown,
    fail,
    need,
    skip,
    unknown,
)


def told_of(node: Node) -> Findings:
    devices = read_then(node.seen.devices, "the PCI bus")
    node.only_with_gpus()
    there = gpus(need(devices.bus))
    wanted = expected(node)
    if wanted is None:
        if not there:
            skip("how many GPUs there should be is not known, and there is none")
    elif isinstance(wanted.state, Unknown):
        yield unknown(wanted, f"how many GPUs there should be is not known: {wanted.state.why}")
    elif len(there) != wanted.state.value:
        yield _another_count(devices, there, wanted.state.value, wanted.place)
    yield from _driven(node, devices, there)
    yield from _answering(node)


def _answering(node: Node) -> Findings:
    """A GPU that is lost while the node runs stays on the bus and in /proc until the next boot."""
    said = node.seen.smi
    if said is None:
        return
    for each in said.lost:
        xids = node.seen.kernel_log.xids.state if node.seen.kernel_log is not None else None
        log = [line for line in (xids.value if isinstance(xids, Known) else ()) if same_gpu(line.gpu, each.address)]
        yield fail(
            said,
            f"the driver has lost the GPU {each.address.lower()}",
            is_=each.says,
            should="a GPU that answers",
            related=[Related(said.place, f"the kernel's log says: {line.line}") for line in log[-1:]],
            cause="it has fallen off the bus while the node runs; the bus and /proc show it until the next boot",
            remedy="drain the node and reboot it; where it is gone again or missing then, stop and start the instance, "
            "or replace it",
        )
    for gpu in need(said.gpus):
        yield from _memory(said, gpu)


def _memory(said: NodeSmi, gpu: SaidGpu) -> Findings:
    """Rows of its memory that broke are replaced by spare ones, at the next reset, as long as there are any."""
    address = gpu.address.lower()
    errors = ", ".join(f"{name}: {count}" for name, count in gpu.uncorrectable)
    related = [Related(said.place, f"errors since the driver was loaded: {errors}")] if errors else []
    if gpu.remap_failed:
        yield fail(
            said,
            f"the GPU {address} has broken memory and no spare rows for it",
            is_="Remapping Failure Occurred: Yes",
            should="No",
            related=related,
            cause="programs that touch these rows end, and the driver gives the GPU up sooner or later",
            remedy="drain the node and replace the GPU: stop and start the instance, or return the card",
        )
    elif gpu.remap_pending:
        yield fail(
            said,
            f"the GPU {address} has broken rows of memory that only a reset puts out of use",
            is_="Remapped Rows, Pending: Yes",
            should="No",
            related=related,
            cause="until then a program may be given them, and ends with an uncorrectable error",
            remedy="drain the node, then reset the GPU (nvidia-smi --gpu-reset) or reboot",
        )
    elif errors:
        yield fail(
            said,
            f"the GPU {address} has had errors of memory that ECC could not mend",
            is_=errors,
            should="0",
            cause="the program that met them ended; what comes next may meet them again",
            remedy="when nothing runs on it, reset the GPU (nvidia-smi --gpu-reset) and look whether they come back",
            severity=Severity.WARNING,
        )


def expected(node: Node) -> Located[int] | None:
    """What the pool says, else the instance type; None where nobody says it."""
    pool = node.declared.state.value if isinstance(node.declared.state, Known) else None
    if pool is not None:
        return pool.gpus_per_node
    of_type = gpus_of(node.instance_type)
    return Located.known(of_type.count, node.place.about(node.instance_type)) if of_type is not None else None


def _another_count(devices: NodeDevices, there: Sequence[Device], wanted: int, place: Place) -> Draft:
    driven = devices.driven.state.value if isinstance(devices.driven.state, Known) else ()
    gone = sorted(set(driven) - {each.address for each in there})
    if len(there) > wanted:
        cause = "the fleet says another number than the machine has"
    elif gone:
        cause = f"the driver had {', '.join(gone)}, which the bus does not show any more: it has fallen off"
    else:
        cause = "a GPU that does not answer at boot is not on the bus: broken, or switched off"
    return fail(
        devices,
        "the bus does not show as many GPUs as there should be",
        is_=f"{len(there)} ({_addresses(there)})",
        should=str(wanted),
        related=[Related(place, f"{wanted} GPUs are declared here")],
        cause=cause,
        remedy="correct gpusPerNode in the fleet" if len(there) > wanted else None,
    )


def _driven(node: Node, devices: NodeDevices, there: Sequence[Device]) -> Findings:
    if isinstance(devices.driven.state, Unknown):
        yield unknown(devices.driven, devices.driven.state.why)
        return
    left = [each for each in there if each.address not in devices.driven.state.value]
    if not left:
        return
    if not need(node.seen.boot_ended):
        yield unknown(devices, "the driver does not have every GPU, and the boot script has not ended yet")
        return
    if _comes_with_the_operator(node, devices):
        yield unknown(
            devices, "the driver does not have the GPUs yet: the operator brings it after the node has joined"
        )
        return
    others = {each.driver for each in left if each.driver not in ("", "nvidia")}
    yield fail(
        devices,
        "NVIDIA's driver has not taken every GPU that is on the bus",
        is_=f"{len(there) - len(left)} of {len(there)}, without {_addresses(left)}",
        should=f"all {len(there)}",
        cause=_why(node, devices, others),
        remedy=_way_out(node, others),
    )


def _comes_with_the_operator(node: Node, devices: NodeDevices) -> bool:
    pool: Pool | None = node.declared.state.value if isinstance(node.declared.state, Known) else None
    return pool is not None and pool.driver is Driver.OPERATOR and devices.driven.state == Known(())


def _way_out(node: Node, others: set[str]) -> str:
    """A module that the kernel has refused is refused again: first it is asked why."""
    if others:
        return (
            f"keep {', '.join(sorted(others))} off them: blacklist it in /etc/modprobe.d and rebuild the initramfs "
            "(of vfio-pci: undo the binding), then reboot"
        )
    if _is_not_loaded(node):
        return (
            "see why no module is loaded: modinfo nvidia on the node; ssh HOST sudo dmesg | nodeworthy explain -; "
            "mend that, then load it"
        )
    return "ssh HOST sudo dmesg | nodeworthy explain - says why the driver refused it"


def _is_not_loaded(node: Node) -> bool:
    driver = node.seen.driver
    return driver is not None and (driver.is_loaded.state == Known(False) or _is_surely_off(driver))


def _why(node: Node, devices: NodeDevices, others: set[str]) -> str:
    if others:
        return f"another driver has them: {', '.join(sorted(others))}"
    if _is_not_loaded(node):
        return "the nvidia module is not loaded"
    return "the driver has none of them" if devices.driven.state == Known(()) else "the driver could not start them"


def _is_surely_off(driver: NodeDriver) -> bool:
    """Who can't list the modules sees all the same that the driver's own folder in /proc is not there."""
    unread = (driver.is_loaded.state, driver.version.state, driver.admin_only.state)
    return all(isinstance(each, Unknown) for each in unread)


def _addresses(devices: Sequence[Device]) -> str:
    return ", ".join(each.address for each in devices) or "none"
