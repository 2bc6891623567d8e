"""Whether a group of nodes came to rest: its instance refresh, and what auto scaling could not start."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place


def moment(tree: Tree) -> datetime | None:
    """A time as AWS tells it."""
    try:
        return datetime.fromisoformat(tree.text) if tree.text else None
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class InstanceRefreshes:
    called: ClassVar[str] = "the instance refreshes of a group"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # The last one; None where there never was one that AWS still knows.
    last: Located[Tree | None]
    # When its newest machine was started.
    newest_machine: datetime | None
    seen_at: datetime

    def idle_for(self, refresh: Tree) -> timedelta:
        """Since when nothing came of it."""
        begun = moment(refresh.get("StartTime"))
        steps = [each for each in (begun, self.newest_machine) if each is not None]
        return self.seen_at - max(steps) if steps else timedelta()


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
