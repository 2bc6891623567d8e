"""Units of a node's systemd: whether they run now and after the next boot."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, Related

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
    """The units that were asked for, by name; unknown where systemd did not answer."""

    place: Place
    by_name: Located[Mapping[str, UnitState]]
