"""nodeadm on a node, and what was done to containerd's config behind its back: the next boot writes it anew."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.node.runtimes import RuntimeProcess
from nodeworthy.facts.node.units import NodeUnits, UnitState
from nodeworthy.known.containerd import containerd_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Findings, Located, Place, fail, need, skip, unknown

CONFIG, RUN = "nodeadm-config.service", "nodeadm-run.service"
# Times are read in whole seconds of two clocks, of which one may have been set right since.
SAME_SECONDS, UNSURE_SECONDS = 1, 3
NODEADMS = "eks-al2023"
SAY_IT = (
    "say it in `containerd: config: |` of the NodeConfig, which nodeadm lays over its own; "
    "registries belong in HOST/hosts.toml"
)


@dataclass(frozen=True)
class NodeNodeadm:
    called: ClassVar[str] = "a node's nodeadm"

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


def lost_to_nodeadm(nodeadm: NodeNodeadm, used: RuntimeProcess) -> Findings:
    writes = nodeadm.writes_at_boot()
    if writes is False:
        return
    younger_by = need(nodeadm.younger_by)
    if younger_by is None or younger_by <= SAME_SECONDS:
        return
    edited = f"{used.config} was edited after {CONFIG} had written it"
    if younger_by <= UNSURE_SECONDS:
        why = f"it was changed within {UNSURE_SECONDS} s of the end of {CONFIG}"
        yield unknown(nodeadm, f"whether {used.config} is as nodeadm wrote it is not known: {why}")
    elif nodeadm.toolkit:
        skip(f"the operator's toolkit writes into {used.config} whenever it starts ({nodeadm.toolkit})")
    elif writes is None or nodeadm.repeated_by:
        why = (
            f"{nodeadm.repeated_by[0]} may edit it so at every boot" if nodeadm.repeated_by else f"what starts {CONFIG}"
        )
        yield unknown(nodeadm, f"{edited}, and whether the edit is there after the next boot is not known: {why}")
    else:
        yield fail(
            nodeadm,
            f"{edited}, and the next boot writes it anew",
            is_="edited by the boot script, which does not run again, or by hand",
            should="containerd.config of the NodeConfig",
            cause=f"{containerd_of(NODEADMS).written_when}: the edit is gone before containerd reads it",
            remedy=SAY_IT,
        )
