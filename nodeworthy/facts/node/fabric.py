"""Fabric manager on a node: whether it is needed, and what is wrong with the one that is there."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from nodeworthy.facts.boot.fabric_manager import ENABLE, NO_CUDA, REFUSES, UNIT, needs_it
from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.gpus import Device, NodeSmi, SaidGpu
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.fleet.model import Driver
from nodeworthy.known.gpus import gpu_named
from nodeworthy.known.instances import InstanceGpus, gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import (
    NO_LINK,
    Draft,
    Findings,
    Known,
    Located,
    Place,
    fail,
    need,
    skip,
    unknown,
    value_if_known,
)

# Setting the switches up takes seconds; in the driver's own words it goes on, or has not begun.
SETTLED_SECONDS = 300
_ON_ITS_WAY, _NOT_YET = ("In Progress", "Not Started"), ("", "Success", "Not Ready", "In Progress")


@dataclass(frozen=True)
class NodeFabric:
    called: ClassVar[str] = "fabric manager on a node"

    place: Place
    # None where there is no systemd to ask.
    units: NodeUnits | None
    # The cgroups of one that runs outside of its unit, as the operator's container brings it.
    elsewhere: tuple[str, ...]
    version: Located[str]
    # For how many seconds it has run; None where that is not known.
    age: int | None
    # The NVSwitches on the bus.
    switches: Located[tuple[Device, ...]]


def fabric_drafts(
    fabric: NodeFabric, driver: NodeDriver, identity: NodeIdentity, end: BootEnd, smi: NodeSmi | None
) -> Findings:
    _only_where_it_is_needed(fabric, identity)
    driver.only_loaded()
    if fabric.units is None:
        yield unknown(driver, "there is no systemd here to ask whether fabric manager runs")
        return
    unit = need(fabric.units.by_name).get(UNIT)
    if unit is None or not unit.is_there:
        yield from _not_installed(fabric, fabric.units, end)
        return
    differs = _differs(fabric.version, driver.version)
    if unit.is_masked and not unit.is_active:
        yield _masked(unit)
        return
    if differs is not None:
        yield differs
    elif not unit.is_active:
        yield from _does_not_run(unit, end)
    else:
        need(fabric.version)
        need(driver.version)
        yield from _set_up(fabric, smi, unit) if smi is not None else ()
    if not unit.starts_at_boot:
        yield _not_enabled(unit)


def _only_where_it_is_needed(fabric: NodeFabric, identity: NodeIdentity) -> None:
    pool = identity.known_pool
    needed = needs_it(pool) if pool is not None else _of_type(gpus_of(identity.instance_type))
    if needed is None:
        needed = bool(need(fabric.switches))
    if not needed:
        skip("there are no NVSwitches here to manage")
    # What the host has installed is there to be run, unless a container's runs in its place.
    if pool is not None and pool.driver is Driver.OPERATOR and (fabric.elsewhere or not _is_installed(fabric)):
        skip("the operator's driver container brings fabric manager")


def _is_installed(fabric: NodeFabric) -> bool:
    units = value_if_known(fabric.units.by_name) if fabric.units is not None else None
    unit = (units or {}).get(UNIT)
    return unit is not None and unit.is_there


def _of_type(of_type: InstanceGpus | None) -> bool | None:
    if of_type is None:
        return None
    gpu = gpu_named(of_type.gpu)
    return of_type.nvswitch and not (gpu is not None and gpu.off_host)


def _not_installed(fabric: NodeFabric, units: NodeUnits, end: BootEnd) -> Findings:
    if fabric.elsewhere:
        skip(f"fabric manager runs in a container, as the operator's driver brings it: {fabric.elsewhere[0]}")
    if not need(end.reached):
        yield unknown(units, "fabric manager is not installed, and the boot script has not ended yet")
        return
    yield fail(
        units.place.about(UNIT),
        "fabric manager is not installed",
        should=f"{UNIT}, active and enabled",
        cause=NO_CUDA,
        remedy=f"install nvidia-fabricmanager of the driver's version, then {ENABLE}",
    )


def _differs(own: Located[str], drivers: Located[str]) -> Draft | None:
    if not (isinstance(own.state, Known) and isinstance(drivers.state, Known)):
        return None
    if own.state.value == drivers.state.value:
        return None
    return fail(
        own,
        "fabric manager is not of the loaded driver's version",
        is_=own.state.value,
        should=drivers.state.value,
        cause=REFUSES,
        remedy=f"install nvidia-fabricmanager {drivers.state.value}, then systemctl restart {UNIT}",
    )


def _does_not_run(unit: UnitState, end: BootEnd) -> Findings:
    if not need(end.reached):
        yield unknown(unit, "fabric manager does not run, and the boot script has not ended yet", is_=unit.says)
        return
    yield fail(
        unit,
        "fabric manager does not run",
        is_=unit.says,
        should="active (running)",
        cause=NO_CUDA,
        remedy=f"journalctl -u {unit.name} -b says why it ended; then systemctl start {unit.name}",
    )


def _set_up(fabric: NodeFabric, said: NodeSmi, unit: UnitState) -> Findings:
    """Running is not done: what the GPUs say of their fabric decides whether CUDA starts."""
    open_ = [each for each in need(said.gpus) if each.fabric_state and not _is_done(each)]
    if not open_:
        return
    states = Counter((each.fabric_state, each.fabric_status or "N/A") for each in open_)
    is_ = "; ".join(f"State {state}, Status {status}: {count} GPUs" for (state, status), count in states.items())
    is_young = fabric.age is None or fabric.age < SETTLED_SECONDS
    if is_young and all(each.fabric_state in _ON_ITS_WAY and each.fabric_status in _NOT_YET for each in open_):
        yield unknown(said, f"the fabric of {len(open_)} GPUs is not set up yet: look again in a minute", is_=is_)
        return
    yield fail(
        said,
        f"fabric manager runs, and the fabric of {len(open_)} GPUs is not set up",
        is_=is_,
        should="State Completed, Status Success (nvidia-smi -q, Fabric)",
        related=[unit.related()],
        cause=NO_CUDA,
        remedy=f"journalctl -u {unit.name} -b and dmesg | grep SXid say why; drain the node and reboot it",
    )


def _is_done(gpu: SaidGpu) -> bool:
    return (gpu.fabric_state, gpu.fabric_status) in (("Completed", "Success"), ("Completed", ""))


def _masked(unit: UnitState) -> Draft:
    return fail(
        unit,
        "fabric manager is masked: nobody can start it, now or at the next boot",
        is_=unit.says,
        should="active (running), and enabled",
        cause=NO_CUDA,
        remedy=f"systemctl unmask {unit.name} && systemctl enable --now {unit.name}",
    )


def _not_enabled(unit: UnitState) -> Draft:
    return fail(
        unit,
        "nothing starts fabric manager after a reboot",
        is_=f"{unit.name} is {unit.enabled or unit.load}",
        should="enabled",
        cause=NO_CUDA,
        remedy=f"systemctl unmask {unit.name} && systemctl enable {unit.name}"
        if unit.is_masked
        else f"systemctl enable {unit.name}",
        link=NO_LINK,
    )
