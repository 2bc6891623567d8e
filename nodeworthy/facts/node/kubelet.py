"""A node's kubelet, and what is wrong with it: it is not there, does not run, or will not after the next boot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.known.kubelet import every_kubelet_unit, family_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Draft, Findings, Place, fail, need, skip, unknown


@dataclass(frozen=True)
class NodeKubelet:
    called: ClassVar[str] = "a node's kubelet"

    place: Place
    units: NodeUnits
    # Whether a process of its runs, and in which unit; a process without one was started by hand.
    runs: bool
    runs_in: str | None

    @property
    def states(self) -> Mapping[str, UnitState]:
        return need(self.units.by_name)

    def unit(self) -> UnitState | None:
        """The unit in which it runs; else the one that is there to run it."""
        if self.runs_in is not None and self.runs_in in self.states:
            return self.states[self.runs_in]
        there = [each for name in every_kubelet_unit() if (each := self.states.get(name)) is not None and each.is_there]
        return min(there, key=lambda each: (not each.is_active, not each.starts_at_boot), default=None)

    def image_unit(self, unit: UnitState) -> UnitState | None:
        """What starts this unit at every boot on some images, if it is there."""
        family = family_of(unit.name)
        found = self.states.get(family.image) if family is not None and family.image else None
        return found if found is not None and found.is_there else None


def kubelet_drafts(
    kubelet: NodeKubelet, runtimes: NodeRuntimes, identity: NodeIdentity, end: BootEnd, cause: str
) -> Findings:
    unit = kubelet.unit()
    if unit is None:
        yield from _no_unit(kubelet, identity, end, cause)
        return
    if not unit.is_active and not need(end.reached):
        yield unknown(unit, f"{unit.name} does not run, and the boot script has not ended yet", is_=unit.says)
        return
    if not unit.is_active and unit.is_masked:
        yield _masked(unit, cause)
        return
    is_victim = not unit.is_active and runtimes.fail_kubelet
    if not unit.is_active and not is_victim:
        yield _does_not_run(unit)
    yield from _after_the_next_boot(unit, kubelet.image_unit(unit), cause)
    if is_victim:
        skip(f"{unit.name} ends for want of a runtime, which containerd-config-read says")


def _no_unit(kubelet: NodeKubelet, identity: NodeIdentity, end: BootEnd, cause: str) -> Findings:
    if kubelet.runs:
        yield fail(
            kubelet,
            "kubelet runs, but no unit of systemd has started it",
            is_="a process outside of every unit",
            should="kubelet in a unit that is enabled",
            cause=cause,
        )
        return
    pool = need(identity.pool)
    if pool is None:
        skip("no kubelet is installed here, and no fleet says that there should be one")
    if not need(end.reached):
        yield unknown(kubelet, "no kubelet is here, and the boot script has not ended yet")
        return
    yield fail(
        kubelet,
        "no kubelet is on this node",
        should=f"a kubelet that runs, as on every node of pool '{pool.name}'",
        cause="the boot script ended without it: the node never joins its cluster",
        remedy="read /var/log/cloud-init-output.log, and mend the step that joins",
    )


def _does_not_run(unit: UnitState) -> Draft:
    return fail(
        unit,
        f"{unit.name} does not run",
        is_=unit.says,
        should="active (running)",
        cause="the node is NotReady, or has never joined",
        remedy=f"journalctl -u {unit.name} -b says why it ended; then systemctl restart {unit.name}",
    )


def _masked(unit: UnitState, cause: str) -> Draft:
    return fail(
        unit,
        f"{unit.name} is masked: nobody can start it, now or after a reboot",
        is_=unit.says,
        should="active (running), and enabled",
        cause=cause,
        remedy=f"systemctl unmask {unit.name} && systemctl enable --now {unit.name}",
    )


def _after_the_next_boot(unit: UnitState, image: UnitState | None, cause: str) -> Findings:
    # What is masked is started by nobody.
    starting = (unit,) if unit.is_masked else (unit, image)
    answers = [each.starts_at_boot for each in starting if each is not None]
    if True in answers:
        return
    if None in answers:
        by = " and ".join(unit.asked_by) or "other units"
        why = f"{unit.name} is {unit.enabled or unit.load}: whether the next boot starts it is up to {by}"
        yield unknown(unit, why, is_=unit.says)
        return
    yield fail(
        unit,
        f"nothing starts {unit.name} after a reboot",
        is_=" and ".join(_as_it_is(each) for each in (unit, image) if each is not None),
        should=f"{unit.name} enabled" + (f", or {image.name}" if image is not None else ""),
        related=[image.related()] if image is not None else [],
        cause=cause,
        remedy=_enabling(unit),
    )


def _as_it_is(unit: UnitState) -> str:
    by = f" by {unit.unreached}, which no boot reaches" if unit.unreached else ""
    return f"{unit.name} is {unit.enabled or unit.load}{by}"


def _enabling(unit: UnitState) -> str:
    if unit.is_masked:
        return f"systemctl unmask {unit.name} && systemctl enable {unit.name}"
    if unit.enabled == "static":
        return f"write an [Install] section with WantedBy=multi-user.target into {unit.name}, then systemctl enable it"
    if unit.unreached:
        return f"systemctl add-wants multi-user.target {unit.name}"
    return f"systemctl enable {unit.name}"
