"""What a group of nodes needs of its account to stay, and to start one node more: capacity, quota, addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.settling import moment
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place


@dataclass(frozen=True, eq=False)
class NodeReservation:
    called: ClassVar[str] = "a reservation of capacity"
    whole_stack: ClassVar[bool] = True

    place: Place
    id: str
    nodes: Sequence[NodeGroup]
    # None where AWS knows none of this id.
    tree: Located[Tree | None]
    # How many machines its groups want to have.
    wanted: int
    # How many of them are started in this one or not at all.
    only_here: int
    # When a schedule empties its groups; None where none does.
    emptied: Located[datetime | None]
    seen_at: datetime

    @property
    def titles(self) -> str:
        return titles_of(self.nodes)


def titles_of(nodes: Sequence[NodeGroup]) -> str:
    return " and ".join(dict.fromkeys(each.title for each in nodes))


def time_left(tree: Tree, seen_at: datetime) -> timedelta | None:
    """How long a reservation still lasts; None where it has no end."""
    ends = moment(tree.get("EndDate"))
    return ends - seen_at if ends is not None else None


@dataclass(frozen=True, eq=False)
class QuotaRoom:
    called: ClassVar[str] = "a quota of the account"
    whole_stack: ClassVar[bool] = True

    place: Place
    # As AWS calls it.
    named: str
    # Those whose next node it has to carry, of one size.
    nodes: Sequence[NodeGroup]
    # In vCPUs. Of a group that takes what it can get, a node is the smallest that it would take.
    quota: Located[float]
    used: Located[int]
    one_node: Located[int]

    @property
    def titles(self) -> str:
        return titles_of(self.nodes)

    @property
    def left(self) -> float | None:
        """Beyond one node more, below zero where it does not fit; None where that is not known."""
        quota, used, one = (each.state for each in (self.quota, self.used, self.one_node))
        if isinstance(quota, Known) and isinstance(used, Known) and isinstance(one, Known):
            return quota.value - used.value - one.value
        return None


@dataclass(frozen=True, eq=False)
class SubnetRoom:
    called: ClassVar[str] = "the free addresses of subnets"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # By subnet.
    free: Located[Sequence[tuple[str, int]]]
    # What one more node takes, by each type that it may be of.
    one_node: Located[Mapping[str, int]]
