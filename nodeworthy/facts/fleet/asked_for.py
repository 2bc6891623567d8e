"""What a fleet asks of its cluster besides nodes: monitoring, a queue. And what a whole plan leaves out of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place, Related


@dataclass(frozen=True)
class MonitoringAsked:
    called: ClassVar[str] = "a fleet that asks for monitoring"

    place: Place
    retention: str
    volume: str

    def says(self, what: str) -> Related:
        return Related(self.place, f"the fleet says {what}")


@dataclass(frozen=True)
class QueueAsked:
    called: ClassVar[str] = "a fleet that asks for a queue"

    place: Place
    volume: str


@dataclass(frozen=True)
class NotPlanned:
    """A whole plan in which nothing was recognised as what the fleet asks for."""

    place: Place
    # Why this plan would not hold it at all; None where it holds what belongs to the cluster.
    no_business: str | None = None
    # What may bring it all the same, and could not be looked into.
    hidden: str | None = None


class MonitoringNotPlanned(NotPlanned):
    """The fleet asks for monitoring, and nothing in the plan is one."""


class QueueNotPlanned(NotPlanned):
    """The fleet asks for a queue, and nothing in the plan is its database."""


@derive
def monitoring_asked(fleet: Fleet) -> Iterator[MonitoringAsked]:
    if fleet.monitoring is not None:
        asked = fleet.monitoring
        yield MonitoringAsked(replace(asked.place, subject="monitoring"), asked.retention, asked.volume)


@derive
def queue_asked(fleet: Fleet) -> Iterator[QueueAsked]:
    if fleet.queue is not None:
        yield QueueAsked(replace(fleet.queue.place, subject="queue"), fleet.queue.volume)
