"""Machines of AWS as nodes of their cluster: who joined, whose machine is gone, and who has booted again since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

# From its start until a machine with GPUs is a node: what its driver and its images take.
JOINS_WITHIN = timedelta(minutes=20)


@dataclass(frozen=True)
class JoinedNode:
    """What a cluster says of a node of which it names the machine."""

    name: str
    machine: str
    zone: str
    # Which boot it is, and in which one it was verified; empty where nothing says it.
    boot: str = ""
    verified: str = ""
    verified_boot: str = ""
    # The pods that hold GPUs of it; None where nobody may say it.
    works: Sequence[str] | None = None

    @property
    def place(self) -> Place:
        return Place(object=f"Node/{self.name}")


@dataclass(frozen=True, eq=False)
class JoinedMachines:
    called: ClassVar[str] = "the machines of a group as nodes of their cluster"
    whole_stack: ClassVar[bool] = True

    place: Place
    nodes: NodeGroup
    # Those in service by their ids, and when each was started.
    in_service: Mapping[str, datetime | None]
    # By the machine.
    joined: Located[Mapping[str, JoinedNode]]
    seen_at: datetime

    def missing(self, joined: Mapping[str, JoinedNode]) -> Sequence[str]:
        """The machines that had time to join and have not. One whose start is unknown counts as having had time."""
        had_time = (
            identifier
            for identifier, started in self.in_service.items()
            if started is None or self.seen_at - started > JOINS_WITHIN
        )
        return [each for each in had_time if each not in joined]


@dataclass(frozen=True, eq=False)
class NodeOfMachine:
    called: ClassVar[str] = "a node of the cluster and its machine"
    whole_stack: ClassVar[bool] = True

    place: Place
    node: JoinedNode
    # Whether AWS has its machine, and it is not stopped.
    runs: Located[bool]
