"""Security groups: what they open, to whom, in which of the four ways one can write that down."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.stack import AwsResource, AwsStack, Links
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, Place, Unknown

GROUP = "aws:ec2/securityGroup:SecurityGroup"
GROUPS = (GROUP, "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup")
# EKS gives each cluster a group that is open to itself both ways and to everything outwards.
CLUSTER = "aws:eks/cluster:Cluster"
RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
RULES = (RULE, INGRESS, EGRESS)
STARTS_NODES = (
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:ec2/launchConfiguration:LaunchConfiguration",
    "aws:ec2/instance:Instance",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
    "aws:ec2/networkInterface:NetworkInterface",
)
_NUMBERS = {"6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6", "all": "-1"}
ALL = "-1"


class Way(StrEnum):
    IN = "in"
    OUT = "out"


@dataclass(frozen=True, eq=False)
class Opening:
    """One rule of a security group."""

    place: Place
    way: Way
    protocol: Located[str]
    first: Located[int]
    last: Located[int]
    ranges: tuple[Located[str], ...]
    groups: Links
    to_itself: bool = False
    # Prefix lists name ranges that stand elsewhere.
    prefix_lists: tuple[Located[str], ...] = ()

    @property
    def ports(self) -> str:
        """The ports for a reader: `tcp 10250`, `all traffic`."""
        if self.protocol.state == Known(ALL):
            return "all traffic"
        first, last = self.first.shown(), self.last.shown()
        return f"{self.protocol.shown()} {first if first == last else f'{first}-{last}'}"

    def covers(self, protocol: str, first: int, last: int | None = None) -> bool | None:
        """Whether all of these ports are open by it; None where that is not known."""
        return self._by_ports(protocol, lambda start, end: start <= first and (last or first) <= end)

    def touches(self, protocol: str, first: int, last: int | None = None) -> bool | None:
        """Whether any of these ports is open by it; None where that is not known."""
        return self._by_ports(protocol, lambda start, end: start <= (last or first) and first <= end)

    def _by_ports(self, protocol: str, holds: Callable[[int, int], bool]) -> bool | None:
        """What holds of its first and last port; of all protocols it says no ports, and opens every one."""
        if isinstance(self.protocol.state, Unknown):
            return None
        if self.protocol.state.value == ALL:
            return True
        if self.protocol.state.value != protocol:
            return False
        if isinstance(self.first.state, Unknown) or isinstance(self.last.state, Unknown):
            return None
        return holds(self.first.state.value, self.last.state.value)


_HALF_THE_WORLD = 1


def is_the_world(text: str) -> bool:
    """All addresses, or so many of them (both halves of the world, say) that nobody can have meant a network."""
    network = network_of(text)
    return network is not None and network.prefixlen <= _HALF_THE_WORLD


def is_some_network(located: Located[str]) -> bool:
    """Whether its length is written, and only its address is not known: `${…}/32`."""
    end = located.state.end if isinstance(located.state, Unknown) else ""
    length = end.rpartition("/")[2]
    return "/" in end and length.isdecimal() and int(length) > _HALF_THE_WORLD


def network_of(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class SecurityGroup:
    called: ClassVar[str] = "a security group"
    whole_stack: ClassVar[bool] = True

    resource: AwsResource
    stack: AwsStack
    # What starts machines that are no nodes.
    no_nodes: frozenset[str] = frozenset()

    @property
    def place(self) -> Place:
        return self.resource.place

    @property
    def title(self) -> str:
        if self.resource.type in RULES:
            return f"security group rule '{self.resource.name}'"
        if self.resource.type == CLUSTER:
            return f"the cluster's own security group of '{self.resource.name}'"
        return f"security group '{self.resource.name}'"

    @property
    def unread(self) -> str | None:
        """Why not all that it opens is known; None where it is."""
        if self.resource.is_read:
            return f"{self.title} exists already, and what it opens is not of this stack"
        for name in ("ingress", "egress"):
            said = self.resource.get(name)
            for each in (said, *said.sequence):
                if isinstance(each.value, Unknown):
                    return f"{name} of {self.title} is not known: {each.value.why}"
        return None

    @cached_property
    def openings(self) -> Sequence[Opening]:
        if self.resource.type in RULES:
            return tuple(self._own(self.resource))
        if self.resource.type == CLUSTER:
            return (*_of_cluster(self.resource), *self._beside())
        return (*self._inline(Way.IN, "ingress"), *self._inline(Way.OUT, "egress"), *self._beside())

    def _inline(self, way: Way, name: str) -> Iterator[Opening]:
        for each in self.resource.get(name).sequence:
            if not each.is_unknown:
                yield _opening(self, self.resource, name, each, way)

    def _beside(self) -> Iterator[Opening]:
        """The rules that are resources of their own."""
        for each in self.stack.pointing_at(self.resource, "securityGroupId", RULES):
            yield from self._own(each)

    def _own(self, rule: AwsResource) -> Iterator[Opening]:
        """The openings of a rule's resource. If its direction is not known, both are given."""
        said = rule.get("type")
        ways = [Way.OUT if rule.type == EGRESS or (rule.type == RULE and said.text == "egress") else Way.IN]
        if rule.type == RULE and said.is_unknown:
            ways = list(Way)
        yield from (_opening(self, rule, "", rule.inputs, way) for way in ways)

    @cached_property
    def is_of_nodes(self) -> bool | None:
        """Whether it guards what starts nodes; None where nothing here says what it guards."""
        users = [each for each in self.stack.users(self.resource.urn) if each.type not in RULES]
        if self.resource.type == CLUSTER or any(
            each.type in STARTS_NODES and each.urn not in self.no_nodes for each in users
        ):
            return True
        return None if not [each for each in users if each.type not in GROUPS] else False


def security_groups(stack: AwsStack, no_nodes: frozenset[str] = frozenset()) -> Iterator[SecurityGroup]:
    """Every security group of the stack, and every rule of one that is not of it."""
    yield from (SecurityGroup(each, stack, no_nodes) for each in stack.of(*GROUPS, CLUSTER))
    for rule in stack.of(*RULES):
        if not stack.links(rule, "securityGroupId", rule.get("securityGroupId"), *GROUPS, CLUSTER).found:
            yield SecurityGroup(rule, stack)


def _of_cluster(cluster: AwsResource) -> Iterator[Opening]:
    every, none = Located.known(ALL, cluster.place), Located.known(0, cluster.place)
    yield Opening(cluster.place, Way.IN, every, none, none, (), Links((cluster,)), to_itself=True)
    anywhere = Located.known("0.0.0.0/0", cluster.place)
    yield Opening(cluster.place, Way.OUT, every, none, none, (anywhere,), Links((cluster,)), to_itself=True)


def _opening(group: SecurityGroup, holder: AwsResource, top: str, tree: Tree, way: Way) -> Opening:
    links = _groups(group.stack, holder, top, tree)
    if tree.get("self").value is True:
        links = replace(links, found=(*links.found, group.resource))
    return Opening(
        tree.place if top else holder.place,
        way,
        _protocol(_first_of(tree, "protocol", "ipProtocol")),
        _port(tree.get("fromPort")),
        _port(tree.get("toPort")),
        tuple(_ranges(tree)),
        links,
        to_itself=any(each is group.resource for each in links.found),
        prefix_lists=tuple(_leaves(tree, "prefixListIds", "prefixListId")),
    )


def _groups(stack: AwsStack, holder: AwsResource, top: str, tree: Tree) -> Links:
    found: list[AwsResource] = []
    open_: list[Located[str]] = []
    for name in ("securityGroups", "sourceSecurityGroupId", "referencedSecurityGroupId"):
        links = stack.links(holder, top or name, tree.get(name), *GROUPS, CLUSTER)
        found += links.found
        open_ += links.open
    return Links(tuple(dict.fromkeys(found)), tuple(open_))


def _first_of(tree: Tree, *names: str) -> Tree:
    return next((tree.get(name) for name in names if not tree.get(name).is_absent), tree.get(names[0]))


def _protocol(tree: Tree) -> Located[str]:
    located = tree.located()
    if isinstance(located.state, Unknown):
        return located
    written = str(located.state.value).lower()
    return Located.known(_NUMBERS.get(written, written), located.place)


def _port(tree: Tree) -> Located[int]:
    located = tree.located()
    if isinstance(located.state, Known):
        value = located.state.value
        if value is None:
            return Located.known(0, located.place)
        if isinstance(value, bool) or not str(value).lstrip("-").isdigit():
            return Located.unknown(f"{value!r} is no port", located.place)
        return Located.known(int(value), located.place)
    return located


def _ranges(tree: Tree) -> Iterator[Located[str]]:
    return _leaves(tree, "cidrBlocks", "ipv6CidrBlocks", "cidrIpv4", "cidrIpv6")


def _leaves(tree: Tree, *names: str) -> Iterator[Located[str]]:
    for name in names:
        value = tree.get(name)
        if not value.says_nothing:
            yield from (leaf.located() for leaf in (value.sequence if value.is_sequence else [value]))
