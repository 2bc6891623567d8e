"""How the objects of a cluster hang together: what they name, choose and ask of each other."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.cluster.choosers import Choosers
from nodeworthy.facts.cluster.kai_queues import ClosedKaiQueue
from nodeworthy.facts.cluster.kueue_queues import HeldByKueue
from nodeworthy.facts.cluster.meeting_points import NoMeetingPoint
from nodeworthy.facts.cluster.network_devices import NoDevice
from nodeworthy.facts.cluster.plugin_configurations import PluginConfigurations
from nodeworthy.facts.cluster.references import NamedObjects
from nodeworthy.facts.cluster.unanswered_services import UnansweredServices
from nodeworthy.facts.cluster.volcano_queues import OversizedGroup
from nodeworthy.facts.cluster.volume_claims import ImpossibleClaim
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Relations:
    """Each is empty where none of its kind is there, or not all of what it needs was read."""

    called: ClassVar[str] = "a cluster whose objects name each other"

    named: NamedObjects
    chosen: Choosers
    services: UnansweredServices
    configurations: tuple[PluginConfigurations, ...]
    # Claims on volumes of which their class can make none.
    claims: tuple[ImpossibleClaim, ...] = ()
    kueue: HeldByKueue = field(default_factory=HeldByKueue)
    devices: tuple[NoDevice, ...] = ()
    on_networks: int = 0
    kai: tuple[ClosedKaiQueue, ...] = ()
    volcano: tuple[OversizedGroup, ...] = ()
    groups: int = 0
    meeting_points: tuple[NoMeetingPoint, ...] = ()
    met_at: int = 0

    @property
    def place(self) -> Place:
        return Place(subject="relations")

    @property
    def victims(self) -> frozenset[str]:
        """All of whom is told here why they wait."""
        chosen, claims = (each.victims for each in self.chosen.found), (each.victims for each in self.claims)
        kai, groups = (each.victims for each in self.kai), (each.victims for each in self.volcano)
        return self.named.victims.union(self.kueue.victims, *chosen, *claims, *kai, *groups)

    @property
    def looked_for(self) -> int:
        """How many relations were looked at."""
        return (
            self.named.looked_for
            + self.chosen.looked_for
            + self.services.looked_for
            + len(self.configurations)
            + len(self.claims)
            + self.kueue.looked_for
            + self.on_networks
            + len(self.kai)
            + self.groups
            + self.met_at
        )
