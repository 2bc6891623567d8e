"""The security groups that EFA interfaces share, and whether they let EFA through.

EC2 User Guide, "Create and attach an EFA": a group that allows all inbound and outbound traffic to and from itself. EFA
passes by what looks at addresses, so that a rule to 0.0.0.0/0 does not count; which is why the group that EKS makes has
a rule to itself beside that one (EKS User Guide, "Security group requirements").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from nodeworthy.facts.aws.efa_interfaces import Interface, asks_for_efa, interfaces
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.security_group import ALL, Opening, SecurityGroup, Way
from nodeworthy.facts.aws.stack import Links
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Related, Unknown


@dataclass(frozen=True, eq=False)
class EfaGroups:
    """One missing rule is one fault, however many pools it keeps apart."""

    called: ClassVar[str] = "the security groups of EFA interfaces"
    whole_stack: ClassVar[bool] = True

    # The first interface that has them.
    interface: Interface
    node_groups: Sequence[NodeGroup]
    groups: Sequence[SecurityGroup]
    # What of them could not be told.
    open: Sequence[Located[str]]

    @property
    def place(self) -> Place:
        return self.groups[0].place if self.groups else self.interface.tree.get("securityGroups").place

    @property
    def titles(self) -> Sequence[str]:
        return list(dict.fromkeys(each.title for each in self.node_groups))

    @property
    def declared(self) -> Iterator[Related]:
        return (each for nodes in self.node_groups for each in nodes.declared)

    def lets_through(self, way: Way) -> Located[bool]:
        """Whether one of them is open to one of them, for all traffic: every interface here has them all."""
        openings = [each for group in self.groups for each in group.openings if each.way is way]
        among = [each for each in openings if self._is_among(each)]
        if any(each.protocol.state == Known(ALL) for each in among):
            return Located.known(True, self.place)
        named = [each for opening in openings for each in opening.groups.open]
        for each in (*(opening.protocol for opening in among), *named, *self.open):
            if isinstance(each.state, Unknown):
                return Located(each.state, each.place)
        unread = next((group for group in self.groups if group.unread is not None), None)
        if unread is not None:
            return Located.unknown(str(unread.unread), unread.place)
        return Located.known(False, self.place)

    def _is_among(self, opening: Opening) -> bool:
        ours = {group.resource.urn for group in self.groups}
        return opening.to_itself or any(each.urn in ours for each in opening.groups.found)

    @property
    def meant(self) -> SecurityGroup:
        """The one that is to be mended: one that is open to itself in some way, else the first."""
        return next((each for each in self.groups if any(way.to_itself for way in each.openings)), self.groups[0])


def efa_groups(groups: Iterable[NodeGroup]) -> Iterator[EfaGroups]:
    found: dict[Hashable, list[tuple[NodeGroup, Interface, Links]]] = defaultdict(list)
    for nodes in groups:
        if asks_for_efa(nodes).state == Known(True):
            for interface, links in _by_written(nodes).values():
                key = (tuple(sorted(each.urn for each in links.found)), tuple(str(each.state) for each in links.open))
                found[key].append((nodes, interface, links))
    for same in found.values():
        nodes, interface, links = same[0]
        # In an order that does not depend on how the program's outputs were told.
        guards = [SecurityGroup(each, nodes.stack) for each in sorted(links.found, key=lambda each: each.urn)]
        yield EfaGroups(interface, [each for each, _, _ in same], guards, links.open)


def _by_written(nodes: NodeGroup) -> Mapping[Hashable, tuple[Interface, Links]]:
    """Most interfaces of a template have the same groups: each set once."""
    found: dict[Hashable, tuple[Interface, Links]] = {}
    for each in interfaces(nodes):
        named = nodes.of_interface(each.tree, "securityGroups")
        written = tuple(str(leaf.value) for leaf in named.sequence) or str(named.value)
        if each.is_efa and written not in found and nodes.template is not None:
            found[written] = (each, nodes.guards_of(each.tree))
    return found
