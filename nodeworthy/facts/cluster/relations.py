"""How the objects of a cluster hang together: what they name, choose and ask of each other."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.cluster.choosers import Choosers
from nodeworthy.facts.cluster.plugin_configurations import PluginConfigurations
from nodeworthy.facts.cluster.references import NamedObjects
from nodeworthy.facts.cluster.unanswered_services import UnansweredServices
from nodeworthy.facts.cluster.volume_claims import ImpossibleClaim
from nodeworthy.records import dataclass
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

    @property
    def place(self) -> Place:
        return Place(subject="relations")

    @property
    def victims(self) -> frozenset[str]:
        """All of whom is told here why they wait."""
        chosen, claims = (each.victims for each in self.chosen.found), (each.victims for each in self.claims)
        return self.named.victims.union(*chosen, *claims)

    @property
    def looked_for(self) -> int:
        """How many relations were looked at."""
        return (
            self.named.looked_for
            + self.chosen.looked_for
            + self.services.looked_for
            + len(self.configurations)
            + len(self.claims)
        )
