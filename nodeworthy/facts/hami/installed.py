"""How often HAMi is installed in a cluster, and how each installation was found."""

from __future__ import annotations

from typing import ClassVar

from nodeworthy.facts.hami.cluster import HamiCluster
from nodeworthy.facts.hami.parts import Installation
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Related


@dataclass(frozen=True, eq=False)
class HamiInstallations:
    called: ClassVar[str] = "HAMi in the cluster"

    place: Place
    cluster: HamiCluster
    # Where the fleet wants it.
    asked_for: Related | None = None
    # Why parts of it may be where nobody could look.
    seen_in_part: str | None = None

    @property
    def found(self) -> tuple[Installation, ...]:
        return self.cluster.found

    def is_called(self, installation: Installation) -> bool:
        """Whether a webhook sends pods to it."""
        services = [each.service for each in self.cluster.webhooks]
        return any(each is not None and each[0] == installation.namespace for each in services)
