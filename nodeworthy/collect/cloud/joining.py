"""The nodes of a cluster laid beside the machines of a region: whose groups they are, which one is which machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from nodeworthy.collect.cloud.cluster_nodes import ClusterNodes
from nodeworthy.collect.cloud.region import Data, Region, members
from nodeworthy.collect.cloud.watched import WatchedGroup, time_at
from nodeworthy.documents.plain import text_at
from nodeworthy.facts.aws.joined import JoinedMachines, JoinedNode, NodeOfMachine
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.scene import Fact
from nodeworthy.verdict import Located, Place

_IN_SERVICE = "InService"


class Joining:
    """What an API server says of its nodes, as far as they are machines of this region."""

    def __init__(self, region: Region, said: ClusterNodes) -> None:
        self._region = region
        self._said = said
        self.region, self.refused = region.asked.region, said.refused
        self.place = Place(object=said.server or "the cluster")

    @cached_property
    def by_machine(self) -> Mapping[str, JoinedNode]:
        here = (each for each in self._said.nodes if each.zone.startswith(self.region))
        return {each.machine: each for each in here}

    def groups(self, cluster: Data | None, groups: Sequence[WatchedGroup]) -> Iterator[JoinedMachines]:
        """The machines of one cluster's groups, where it is this cluster: its URL says so, or one of the machines is a
        node of it."""
        if not self._is_it(cluster, groups):
            return
        for each in groups:
            yield JoinedMachines(
                each.place, each.nodes, self._in_service(each), self._joined, self._region.asked.seen_at
            )

    def _is_it(self, cluster: Data | None, groups: Sequence[WatchedGroup]) -> bool:
        if self.refused:
            return True
        if self._said.server and self._said.server.lower() == text_at(cluster, "endpoint").lower():
            return True
        return any(identifier in self.by_machine for each in groups for identifier, _ in members(each.group))

    @property
    def _joined(self) -> Located[Mapping[str, JoinedNode]]:
        if self.refused:
            return Located.unknown(self.refused, self.place)
        return Located.known(self.by_machine, self.place)

    def _in_service(self, each: WatchedGroup) -> Mapping[str, datetime | None]:
        return {
            identifier: time_at(self._region.instances.get(identifier, {}), "LaunchTime")
            for identifier, member in members(each.group)
            if text_at(member, "LifecycleState") == _IN_SERVICE
        }

    def nodes(self, groups: Sequence[WatchedGroup] | None) -> Iterator[Fact]:
        """Each node of the region, or of these groups alone. Where no machine of the account is a node of it, it is
        another one's cluster."""
        unseen = self._region.instances_answer.refused
        if self.by_machine and not unseen and not self.by_machine.keys() & self._region.instances.keys():
            why = (
                f"none of the {len(self.by_machine)} nodes of {self._said.server} in {self.region} is a machine of "
                f"account {self._region.asked.account}: is this its cluster?"
            )
            yield NotLookedAt(self.place, why, remedy="name another context with --kubernetes")
            return
        ours = {one for each in groups or () for one, _ in members(each.group)}
        for machine, node in self.by_machine.items():
            if groups is None or machine in ours:
                runs = machine in self._region.instances
                told = Located.unknown(unseen, node.place) if unseen else Located.known(runs, node.place)
                yield NodeOfMachine(node.place, node, told)
