"""Who starts kubelet on a node, now and after the next boot."""

from __future__ import annotations

from collections.abc import Mapping

from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.known.kubelet import every_kubelet_unit, family_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, need


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
