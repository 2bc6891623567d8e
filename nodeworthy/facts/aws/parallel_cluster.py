"""AWS ParallelCluster's configuration, version 3: its queues of Slurm's, what their nodes are, and shared storage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.fleet.gpu_pool import AskedTypes
from nodeworthy.known.instances import is_named_so
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

CAPACITY_BLOCK = "CAPACITY_BLOCK"
# What says whether a file is taken, before it costs anything.
VALIDATED_BY = "`pcluster create-cluster --dryrun true` validates the file, and makes nothing"
# How many nodes a compute resource may have where it says nothing, and has at least.
MOST, LEAST = 10, 0


@dataclass(frozen=True, eq=False)
class ParallelCluster:
    called: ClassVar[str] = "a configuration of AWS ParallelCluster"

    tree: Tree

    @property
    def place(self) -> Place:
        return self.tree.place

    @cached_property
    def queues(self) -> tuple[ParallelQueue, ...]:
        return tuple(ParallelQueue(each) for each in self.tree.get("Scheduling", "SlurmQueues").sequence)

    @cached_property
    def resources(self) -> tuple[ComputeResource, ...]:
        return tuple(one for each in self.queues for one in each.resources)

    @property
    def storage(self) -> Sequence[Tree]:
        return self.tree.get("SharedStorage").sequence


@dataclass(frozen=True, eq=False)
class ParallelQueue:
    tree: Tree

    @property
    def name(self) -> str:
        return self.tree.get("Name").string

    @cached_property
    def resources(self) -> tuple[ComputeResource, ...]:
        return tuple(ComputeResource(each, self.tree) for each in self.tree.get("ComputeResources").sequence)


@dataclass(frozen=True, eq=False)
class ComputeResource:
    tree: Tree
    queue: Tree

    @property
    def title(self) -> str:
        return f"compute resource '{self.tree.get('Name').string}' of queue '{self.queue.get('Name').string}'"

    @cached_property
    def types(self) -> tuple[Tree, ...]:
        """What its nodes are, by the words of EC2; what something fills in is none."""
        several = (each.get("InstanceType") for each in self.tree.get("Instances").sequence)
        return tuple(each for each in (self.tree.get("InstanceType"), *several) if is_named_so(each.string))

    @property
    def has_efa(self) -> bool:
        return self.tree.get("Efa", "Enabled").value is True

    @property
    def is_of_a_block(self) -> bool:
        return self.queue.get("CapacityType").string == CAPACITY_BLOCK

    @property
    def is_in_several_zones(self) -> bool:
        """Subnets of one queue are in different zones: ParallelCluster takes no two of one."""
        return len(self.queue.get("Networking", "SubnetIds").sequence) > 1

    @property
    def group(self) -> Tree:
        """What is said of a placement group: its own word, else the queue's."""
        own = self.tree.get("Networking", "PlacementGroup")
        return own if not own.says_nothing else self.queue.get("Networking", "PlacementGroup")

    @property
    def is_grouped(self) -> bool:
        if self.group.get("Enabled").value is False:
            return False
        named = (self.group.get(name).text for name in ("Id", "Name"))
        return self.group.get("Enabled").value is True or any(named)

    @property
    def reservation(self) -> Tree:
        own = self.tree.get("CapacityReservationTarget")
        return own if not own.says_nothing else self.queue.get("CapacityReservationTarget")

    def count(self, name: str) -> int | None:
        """None where it is no number, as of what something fills in."""
        said = self.tree.get(name)
        default: Mapping[str, int] = {"MinCount": LEAST, "MaxCount": MOST}
        if said.says_nothing:
            return default[name]
        return said.value if isinstance(said.value, int) and not isinstance(said.value, bool) else None


def parallel_clusters(document: Tree) -> Iterator[ParallelCluster | AskedTypes]:
    if not document.get("Scheduling", "SlurmQueues").is_sequence:
        return
    cluster = ParallelCluster(document)
    yield cluster
    for each in cluster.resources:
        if each.types:
            types = [Located.known(one.string, one.place) for one in each.types]
            yield AskedTypes(each.title, each.tree.place, types)
