"""What a rollout sees at one moment, and what may come next of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime

from nodeworthy.collect.workload.live.window import read_window
from nodeworthy.records import dataclass
from nodeworthy.rollout import acts
from nodeworthy.rollout.journal import Journal, Lane, Stage
from nodeworthy.rollout.world import Machine, World

# What somebody may ask for meanwhile.
PAUSE, ABORT = "pause", "abort"


@dataclass(frozen=True)
class Do:
    act: acts.Act
    lane: Lane | None = None
    # What has been done of the lane once the act is.
    reaches: Stage | None = None


@dataclass(frozen=True)
class Reached:
    """Seen to be so, without an act."""

    lane: Lane
    stage: Stage
    fresh: str = ""
    fresh_node: str = ""


@dataclass(frozen=True)
class RefreshUnderWay:
    """The instance refresh that was asked for is under way."""

    refresh: str


@dataclass(frozen=True)
class Wait:
    why: str


@dataclass(frozen=True)
class Stop:
    why: str
    # Whether what was started from the new version is at fault, or could be: the group must start no more of it.
    is_bad: bool = False


@dataclass(frozen=True)
class Pause:
    why: str


@dataclass(frozen=True)
class Finished:
    pass


Step = Do | Reached | RefreshUnderWay | Wait | Stop | Pause | Finished


@dataclass(frozen=True)
class View:
    """All that the next step is chosen by."""

    world: World
    journal: Journal
    now: float
    # What somebody has asked for meanwhile.
    wanted: str = ""
    # Pods that were refused to be evicted in this round.
    tried: frozenset[str] = field(default_factory=frozenset)

    @property
    def is_open(self) -> bool:
        """Whether a node may be begun now; one that was begun is finished."""
        written = self.journal.terms.window
        return not written or read_window(written).seconds_left(datetime.fromtimestamp(self.now).astimezone()) > 0

    @property
    def refresh_is_ours(self) -> bool:
        """The instance refresh that is under way: it was asked for, and nobody may have heard its name yet."""
        journal = self.journal
        return self.world.group.refresh == journal.refresh or (not journal.refresh and journal.asked_for_refresh)

    @property
    def unclaimed(self) -> Sequence[Machine]:
        """Machines that came since, and of which nobody said yet whose successors they are."""
        claimed = {lane.fresh for lane in self.journal.lanes} | set(self.journal.originals)
        return [each for each in self.world.machines if each.is_there and each.id not in claimed]

    @property
    def without_successor(self) -> Sequence[Lane]:
        """The lanes that wait for a successor, or whose machine's end may have brought one already."""
        stages = (Stage.GROWN, Stage.WAITS) if self.journal.terms.new_first else (Stage.TERMINATED, Stage.EMPTY)
        return [lane for lane in self.journal.unfinished() if not lane.fresh and lane.stage in stages]
