"""Whether a group of nodes came to rest: its instance refresh, and what auto scaling could not start."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


def moment(tree: Tree) -> datetime | None:
    """A time as AWS tells it: in UTC, also where it leaves that out."""
    try:
        found = datetime.fromisoformat(tree.string)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


@dataclass(frozen=True, eq=False)
class InstanceRefreshes:
    called: ClassVar[str] = "the instance refreshes of a group"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # The last one; None where there never was one that AWS still knows.
    last: Located[Tree | None]
    # When its machines were started, the oldest first.
    started: Sequence[datetime]
    seen_at: datetime

    def idle_for(self, refresh: Tree) -> timedelta | None:
        """Since when nothing came of it; None where it is still to begin."""
        begun = moment(refresh.get("StartTime"))
        return self.seen_at - max(begun, *self.started) if begun is not None else None

    def is_outlived_by_none(self, refresh: Tree) -> bool:
        """Whether each machine was started after it had ended: what it left behind is there no more."""
        ended = moment(refresh.get("EndTime"))
        return ended is not None and bool(self.started) and self.started[0] > ended


@dataclass(frozen=True)
class FailedLaunch:
    place: Place
    at: datetime
    # In AWS' words.
    why: str


@dataclass(frozen=True, eq=False)
class Launches:
    called: ClassVar[str] = "what auto scaling started in a group"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # Those of the last day, the newest first.
    failed: Located[Sequence[FailedLaunch]]
    # When the last one went well.
    last_good: datetime | None
    wanted: int
    in_service: int
    # When anything last changed; None where nothing says it.
    changed: datetime | None
    # Processes that somebody had auto scaling not run.
    suspended: Sequence[Located[str]]
    seen_at: datetime
