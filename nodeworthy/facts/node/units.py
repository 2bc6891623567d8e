"""Units of a node's systemd, whether they run now and after the next boot: kubelet's, the boot's, nodeadm's."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.known.kubelet import every_kubelet_unit, family_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, Related, need

# Of `systemctl is-enabled`: what starts the unit at every boot. `enabled-runtime` is forgotten with this one.
_STARTED = frozenset({"enabled", "alias", "generated"})
# Those of which nobody says by themselves when they are started: other units do.
_BY_OTHERS = frozenset({"static", "indirect", "transient"})
_MASKED = "masked"


@dataclass(frozen=True)
class UnitState:
    """What `systemctl show` says of one unit."""

    place: Place
    name: str
    load: str
    active: str
    sub: str
    enabled: str
    result: str
    # The units that ask for it.
    asked_by: tuple[str, ...] = ()
    # Timers, sockets and paths that start it, and units that hold it up; None where nobody asked for them.
    triggered_by: tuple[str, ...] | None = None
    # All that the default target starts; None where systemd was not asked.
    boot: frozenset[str] | None = None

    @property
    def is_there(self) -> bool:
        return self.load not in ("not-found", "")

    @property
    def is_active(self) -> bool:
        return self.active == "active"

    @property
    def is_masked(self) -> bool:
        return _MASKED in (self.enabled, self.load)

    @property
    def unreached(self) -> str:
        """The target that alone asks for it, and that no boot reaches; empty where one does, or nobody looked."""
        if self.boot is None or self.name in self.boot or self.triggered_by or not self.asked_by:
            return ""
        # What services ask for is not listed, only what targets do.
        by_targets = all(each.endswith(".target") for each in self.asked_by)
        return self.asked_by[0] if by_targets and not self.boot.intersection(self.asked_by) else ""

    @property
    def starts_at_boot(self) -> bool | None:
        """None where that depends on others, which were not looked at."""
        # A masked unit keeps the links of whoever asked for it.
        if self.is_masked:
            return False
        if self.enabled in _STARTED:
            return not self.unreached
        if self.enabled == "static" and self.triggered_by == () and not self.asked_by:
            return False
        # The targets that ask for it were told so in /run.
        if self.enabled == "enabled-runtime" and all(each.endswith(".target") for each in self.asked_by):
            return False
        return None if self.asked_by or self.enabled in _BY_OTHERS else False

    @property
    def says(self) -> str:
        how = f" ({self.sub}, {self.result})" if self.result not in ("", "success") else f" ({self.sub})"
        return f"{self.name} is {self.active}{how} and {self.enabled or self.load}"

    def related(self) -> Related:
        return Related(self.place, self.says)


@dataclass(frozen=True)
class NodeUnits:
    """Those that were asked for, by name; unknown where systemd did not answer."""

    place: Place
    by_name: Located[Mapping[str, UnitState]]


@dataclass(frozen=True)
class NodeKubelet:
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


@dataclass(frozen=True)
class StepError:
    """A stage of cloud-init, and what it says went wrong in it."""

    stage: str
    says: str


@dataclass(frozen=True)
class NodeBoot:
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


CONFIG, RUN = "nodeadm-config.service", "nodeadm-run.service"
# Times are read in whole seconds of two clocks, of which one may have been set right since.
SAME_SECONDS, UNSURE_SECONDS = 1, 3


@dataclass(frozen=True)
class NodeNodeadm:
    place: Place
    units: NodeUnits
    # By how many seconds the file is younger than the last run of nodeadm that wrote it; None where there is no file.
    younger_by: Located[float | None]
    # What may make the same edit at every boot: scripts and units that speak of containerd.
    repeated_by: tuple[str, ...]
    # What the operator's toolkit has left here: it edits the file whenever it starts.
    toolkit: str

    def writes_at_boot(self) -> bool | None:
        """None where that depends on others, which were not looked at."""
        states = need(self.units.by_name)
        config, run = states.get(CONFIG), states.get(RUN)
        if config is None or not config.is_there or config.enabled.startswith("masked"):
            return False
        return _starts(config) or (run is not None and RUN in config.asked_by and _starts(run)) or _unsure(config, run)


def _starts(unit: UnitState) -> bool:
    return unit.is_there and unit.starts_at_boot is True


def _unsure(config: UnitState, run: UnitState | None) -> bool | None:
    """nodeadm-run alone asks for it in the image."""
    others = [each for each in config.asked_by if each != RUN or (run is not None and run.starts_at_boot is None)]
    return None if others else False
