"""A node's boot: whether it has ended, how, and what went wrong in it, told once: what another rule judges is left to
it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from nodeworthy.facts.boot.fabric_manager import UNIT
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.known.kubelet import every_kubelet_unit
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Findings, Located, Place, Unknown, fail, need, skip, unknown

# `/var/lib/cloud/instance/scripts/part-001: line 12: dnf: command not found`; dash leaves the word out.
_LINE = pattern(r"(?P<script>/\S+): (?:line )?(?P<line>\d+): (?P<says>.+)")
_WELL = "running"
_STILL = ("starting", "initializing", "stopping")
# Rescue and emergency mode.
_STUCK = "maintenance"


@dataclass(frozen=True)
class BootEnd:
    """Whether the boot script has come to its end: what is not there yet may still come."""

    called: ClassVar[str] = "the end of a node's boot"

    place: Place
    reached: Located[bool]


@dataclass(frozen=True)
class StepError:
    """A stage of cloud-init, and what it says went wrong in it."""

    stage: str
    says: str


@dataclass(frozen=True)
class NodeBoot:
    called: ClassVar[str] = "the boot of a node"

    place: Place
    has_cloud_init: bool
    errors: Located[tuple[StepError, ...]]
    # The stage that still runs.
    stage: str | None
    # Lines of its logs that name a step or a line of the boot script.
    told: tuple[str, ...]
    # starting, running, degraded; None where there is no systemd.
    system: str | None
    failed: NodeUnits | None
    # What a boot that goes on is at: a script or a step of cloud-init's, units that systemd starts.
    at: tuple[str, ...] = ()

    @property
    def now(self) -> str:
        """How far it is, where it has not ended."""
        state = f"cloud-init is in {self.stage}" if self.stage else f"the system is {self.system or 'not ready'}"
        return f"{state}, at {', '.join(self.at)}" if self.at else state


def boot_drafts(boot: NodeBoot, end: BootEnd) -> Findings:
    if boot.system is None and not boot.has_cloud_init:
        skip("there is neither cloud-init nor systemd here to ask")
    if isinstance(end.reached.state, Unknown):
        yield unknown(end.reached, end.reached.state.why)
    elif boot.stage is not None or boot.system in _STILL or not end.reached.state.value:
        yield unknown(boot, f"the boot has not ended yet: {boot.now}")
    if boot.system == _STUCK:
        yield _stuck(boot)
    if isinstance(boot.errors.state, Unknown):
        yield unknown(boot.errors, boot.errors.state.why)
    else:
        yield from _steps(boot)
    yield from _units(boot)


def _stuck(boot: NodeBoot) -> Draft:
    return fail(
        boot,
        "the system has stopped in rescue or emergency mode",
        is_=f"systemctl is-system-running: {_STUCK}",
        should="running",
        cause="something that the boot needs is missing: a mount without nofail, a file system that is damaged",
        remedy="systemctl --failed and journalctl -xb name it; systemctl default goes on with the boot",
    )


def _steps(boot: NodeBoot) -> Findings:
    errors = need(boot.errors)
    if not errors:
        return
    named = [found for line in boot.told if (found := _LINE.search(line))]
    last = named[-1] if named else None
    where = f"{last['script']} line {last['line']}" if last else f"in {errors[0].stage}"
    yield fail(
        boot.errors,
        f"the boot script failed, {where}",
        is_="; ".join(dict.fromkeys(each.says for each in errors)),
        should="every step of cloud-init without errors",
        cause=last["says"] if last else _last(boot.told),
        remedy=f"nodeworthy boot {last['script']} shows what it was to do there"
        if last
        else "tail -n 50 /var/log/cloud-init-output.log",
    )


def _last(told: Sequence[str]) -> str | None:
    return told[-1] if told else None


def _units(boot: NodeBoot) -> Findings:
    if boot.failed is None:
        if boot.system not in (None, _WELL, *_STILL):
            yield unknown(boot, "which units have failed was not read")
        return
    judged_elsewhere = {UNIT, *every_kubelet_unit()}
    by_name = need(boot.failed.by_name)
    left = [
        each for name, each in by_name.items() if name not in judged_elsewhere and not _is_clouds(name, boot.errors)
    ]
    if left:
        yield _failed(left)


def _is_clouds(name: str, errors: Located[tuple[object, ...]]) -> bool:
    """Whether it is a unit of cloud-init's, which fails with the steps that were reported."""
    return name.startswith("cloud-") and not isinstance(errors.state, Unknown) and bool(errors.state.value)


def _failed(units: Sequence[UnitState]) -> Draft:
    names = ", ".join(each.name for each in units)
    return fail(
        units[0],
        f"{'a unit has' if len(units) == 1 else 'units have'} failed: {names}",
        is_="; ".join(each.says for each in units),
        should="no failed unit",
        remedy=f"systemctl status {units[0].name}; journalctl -u {units[0].name} -b",
    )
