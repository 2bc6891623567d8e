"""How a node's boot ended: what cloud-init says of its steps, and what systemd says of its units."""

from __future__ import annotations

from nodeworthy.facts.node.units import NodeUnits
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


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
