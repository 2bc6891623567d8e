"""nodeadm on a node: when it wrote containerd's config, whether the next boot does so again, and what came after."""

from __future__ import annotations

from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, need

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
