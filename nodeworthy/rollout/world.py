"""What a rollout sees of a group of nodes at one moment: its machines in AWS, their nodes, and the pods on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from nodeworthy.records import dataclass

# Whoever cordons says for which rollout: we uncordon only what we cordoned.
MARK = "nodeworthy/rollout"
UNVERIFIED = "nodeworthy/unverified"
# What Kubernetes itself writes on a node that should take no work.
_OF_KUBERNETES = "node.kubernetes.io/"
IN_SERVICE = "InService"
_GOING = ("Terminat", "Detach", "EnteringStandby", "Standby", "Warmed")


@dataclass(frozen=True)
class Machine:
    """An instance, as auto scaling has it."""

    id: str
    state: str = IN_SERVICE
    # The number of the version that it was started from.
    version: str = ""
    is_protected: bool = False
    is_healthy: bool = True
    zone: str = ""
    # Why it is not what its version says, looked at from within; empty where it is.
    differs: str = ""

    @property
    def is_there(self) -> bool:
        """Whether it still counts as one of its group."""
        return not self.state.startswith(_GOING)


@dataclass(frozen=True)
class Budget:
    """A PodDisruptionBudget."""

    namespace: str
    name: str
    allowed: int
    healthy: int
    desired: int

    @property
    def told(self) -> str:
        return (
            f"{self.namespace}/{self.name} allows {self.allowed} disruptions "
            f"({self.healthy} healthy, {self.desired} wanted)"
        )


@dataclass(frozen=True)
class Pod:
    namespace: str
    name: str
    uid: str
    # The kind of what makes it anew; empty where nothing does.
    owner: str = ""
    gpus: int = 0
    # A DaemonSet's, or the kubelet's own: it goes with its node.
    stays: bool = False
    # What it is ending by; empty where it is not ending.
    leaving: str = ""
    # In seconds, until it ends by its own word; None where it declares no end.
    seconds_left: int | None = None
    since: str = ""
    # Why nobody may evict it unless it is named.
    blocks: str = ""
    budgets: tuple[Budget, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def is_leaving(self) -> bool:
        return bool(self.leaving)

    @property
    def is_gpu_job(self) -> bool:
        """Work that is lost if it is cut: what a ReplicaSet has goes on elsewhere."""
        return self.gpus > 0 and self.owner not in ("ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController")


@dataclass(frozen=True)
class Node:
    name: str
    machine: str
    is_ready: bool = True
    is_cordoned: bool = False
    # Which rollout says that it cordoned it.
    mark: str = ""
    taints: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    # Set by hand: they are lost with the node. Labels and annotations by name, taints as key=value:effect.
    kept: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    opted_out: str = ""
    pods: Sequence[Pod] = ()
    # Volumes that live on this machine alone.
    local_volumes: tuple[str, ...] = ()
    has_attachments: bool = False

    @property
    def guests(self) -> Sequence[Pod]:
        """The pods that have to leave before it goes."""
        return [each for each in self.pods if not each.stays]

    @property
    def is_idle(self) -> bool:
        return not any(each.gpus for each in self.guests)

    @property
    def away(self) -> str:
        """Why it takes no work; empty where it does."""
        if not self.is_ready:
            return "is not Ready"
        if self.is_cordoned:
            return "is cordoned"
        taints = (each for each in self.taints if each.startswith((_OF_KUBERNETES, UNVERIFIED)))
        return next((f"has the taint {each}" for each in taints), "")


@dataclass(frozen=True)
class GroupState:
    name: str
    desired: int
    smallest: int
    largest: int
    # As the group names it ($Latest, $Default, a number), and which number that is now.
    named_version: str
    version: str
    template: str = ""
    suspended: frozenset[str] = frozenset()
    # What auto scaling says of launches that failed lately, the newest first: when, and its words.
    failed_launches: Sequence[tuple[str, str]] = ()
    # Under way, by its id, and whether it is just being cancelled.
    refresh: str = ""
    is_cancelling: bool = False
    # Those that are over by their ids, how each ended in AWS' words.
    ended_refreshes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    group: GroupState
    machines: Sequence[Machine]
    nodes: Sequence[Node]

    def node_of(self, machine: str) -> Node | None:
        return next((each for each in self.nodes if each.machine == machine), None)

    def machine(self, identifier: str) -> Machine | None:
        """None where it is gone, or is going."""
        return next((each for each in self.machines if each.id == identifier and each.is_there), None)

    def unavailable(self) -> dict[str, str]:
        """Why each machine takes no work."""
        found: dict[str, str] = {}
        for each in self.machines:
            node = self.node_of(each.id)
            if not each.is_there:
                continue
            if node is None:
                found[each.id] = f"{each.id} has no node"
            elif node.away:
                found[each.id] = f"{node.name} {node.away}"
        return found

    @property
    def available(self) -> int:
        there = sum(each.is_there for each in self.machines)
        return there - len(self.unavailable())
