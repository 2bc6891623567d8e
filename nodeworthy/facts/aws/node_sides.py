"""Nodes behind the same security groups, the other nodes of their stack, and their control plane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.facts.aws.node_group import INSTANCES, MANAGED, SUBNET, WAYS_OF_EKS, NodeGroup
from nodeworthy.facts.aws.node_types import has_gpus
from nodeworthy.facts.aws.reach import Network, Side
from nodeworthy.facts.aws.security_group import CLUSTER, GROUPS, RULES, SecurityGroup, Way, network_of
from nodeworthy.facts.aws.stack import AwsResource, AwsStack, Links
from nodeworthy.facts.fleet.node_taint import taints_in
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.os import EKS
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Place, Related, Unknown

# What EKS and the cluster autoscaler find nodes by.
_TAGS = ("kubernetes.io/cluster/", "k8s.io/cluster-autoscaler/")
# What EKS' CoreDNS tolerates where its configuration says nothing else.
_TOLERATED_BY_DNS = frozenset({"CriticalAddonsOnly", "node-role.kubernetes.io/control-plane"})


def is_cluster_node(nodes: NodeGroup) -> bool:
    """Whether the fleet, EKS, its boot script or a tag says so, or where nothing does, a cluster stands beside it."""
    if nodes.pool is not None or nodes.is_managed or nodes.joins or _is_tagged(nodes):
        return True
    return nodes.joins is None and not _is_alone(nodes) and bool(nodes.stack.of(CLUSTER))


def is_something_else(nodes: NodeGroup) -> bool:
    """A machine without GPUs that joins nothing."""
    says_so = _is_alone(nodes) or nodes.joins == frozenset()
    return says_so and not is_cluster_node(nodes) and has_gpus(nodes).state == Known(False)


def pods_are_in_its_network(nodes: NodeGroup) -> bool:
    """EKS gives pods addresses of the network; elsewhere they mostly talk through a tunnel between their nodes."""
    if nodes.pool is not None:
        distribution = nodes.pool.distribution.state
        return not isinstance(distribution, Known) or distribution.value in EKS
    return nodes.is_managed or bool(nodes.stack.of(CLUSTER)) or bool(WAYS_OF_EKS & (nodes.joins or frozenset()))


def _is_alone(nodes: NodeGroup) -> bool:
    return nodes.group is None and nodes.template is not None and nodes.template.type in INSTANCES


def _is_tagged(nodes: NodeGroup) -> bool:
    return any(key.startswith(_TAGS) for key in _tags(nodes))


def _tags(nodes: NodeGroup) -> Iterator[str]:
    yield from nodes.templates("tags").mapping
    for each in nodes.templates("tagSpecifications").sequence:
        yield from each.get("tags").mapping
    yield from nodes.groups("tags").mapping
    yield from (each.get("key").string for each in nodes.groups("tags").sequence)


VPC = "aws:ec2/vpc:Vpc"
DEFAULT_GROUP = "they name no security group, so they get the default one of their network, which is not looked at"


@dataclass(frozen=True, eq=False)
class GuardedNodes:
    """Most pools of a stack share their security groups: one missing rule is one fault, whomever it hits."""

    called: ClassVar[str] = "nodes behind security groups"
    whole_stack: ClassVar[bool] = True

    node_groups: Sequence[NodeGroup]

    @property
    def first(self) -> NodeGroup:
        return self.node_groups[0]

    @property
    def stack(self) -> AwsStack:
        return self.first.stack

    @property
    def fleet(self) -> Fleet | None:
        return self.first.fleet

    @property
    def place(self) -> Place:
        """The first of its security groups, which is what is to be mended; else what starts the nodes."""
        return self.security_groups[0].place if self.security_groups else self.first.place

    @property
    def door(self) -> AwsResource | Place:
        """The security group that is to be mended where a rule is missing; what starts them where none is known."""
        return self.security_groups[0].resource if self.security_groups else self.first.place

    @property
    def of_clusters(self) -> bool:
        return any(map(is_cluster_node, self.node_groups))

    @cached_property
    def clusters(self) -> frozenset[str]:
        """The clusters that its nodes are said to belong to, by their addresses or their names."""
        return frozenset(filter(None, map(_cluster_of, self.node_groups)))

    def may_meet(self, other: GuardedNodes) -> bool:
        """Whether both may be nodes of one cluster. Where there are several, what names none is met by nobody else."""
        if other is self:
            return True
        if self.clusters and other.clusters:
            return bool(self.clusters & other.clusters)
        return len(self.stack.of(CLUSTER)) < 2

    @property
    def may_serve_names(self) -> bool:
        """Whether CoreDNS may run on one of them, as far as their taints are said."""
        return not all(map(_keeps_dns_away, self.node_groups))

    @property
    def titles(self) -> Sequence[str]:
        return list(dict.fromkeys(each.title for each in self.node_groups))

    @property
    def title(self) -> str:
        return self.titles[0] if len(self.titles) == 1 else f"{self.titles[0]} and {len(self.titles) - 1} more"

    @property
    def declared(self) -> Iterator[Related]:
        return (each for group in self.node_groups for each in group.declared)

    @cached_property
    def security_groups(self) -> Sequence[SecurityGroup]:
        """The groups in an order of their own: the order in which a template names them is not known before they
        exist."""
        groups, not_found = self.first.security_groups
        if not groups and not not_found and self._has_the_clusters_group:
            return [SecurityGroup(each, self.stack) for each in self.stack.of(CLUSTER)]
        return sorted(groups, key=_where_a_rule_is_missed)

    @property
    def open_to_itself(self) -> bool:
        """Whether nobody names its group: it is the cluster's own, or the network's default."""
        return not self.security_groups and (self.behind_eks_own_group or self._unseen == DEFAULT_GROUP)

    @property
    def behind_eks_own_group(self) -> bool:
        """Whether its group is that of a cluster outside this stack: open to itself, and otherwise unknown."""
        return self._has_the_clusters_group and not self.security_groups

    @property
    def _has_the_clusters_group(self) -> bool:
        """EKS gives it to the nodes of its own groups that name none."""
        first = self.first
        said = first.groups("launchTemplate")
        is_known = first.template is not None or said.says_nothing
        return first.group is not None and first.group.type == MANAGED and is_known

    @cached_property
    def side(self) -> Side:
        networks = {network for each in self.node_groups for network in _networks(each)}
        return Side(self.security_groups, tuple(sorted(networks, key=str)), self._unseen)

    @property
    def _unseen(self) -> str:
        _, not_found = self.first.security_groups
        if not_found:
            state = not_found[0].state
            assert isinstance(state, Unknown)
            return f"a security group of its nodes is not known: {state.why}"
        if self._has_the_clusters_group:
            return (
                "" if self.security_groups else "EKS gives them the group of their cluster, which is not of this stack"
            )
        if self.first.template is None:
            return self.first.no_template
        return "" if self.security_groups else DEFAULT_GROUP

    @cached_property
    def control_plane(self) -> Side | None:
        """The interfaces that EKS puts into the network; None where the cluster is not of this stack."""
        clusters = self.stack.of(CLUSTER)
        if len(clusters) != 1:
            return None
        cluster = clusters[0]
        own = self.stack.links(cluster, "vpcConfig", cluster.get("vpcConfig", "securityGroupIds"), *GROUPS)
        groups = [SecurityGroup(each, self.stack) for each in (cluster, *own.found)]
        subnets = self.stack.links(cluster, "vpcConfig", cluster.get("vpcConfig", "subnetIds"), SUBNET)
        return Side(groups, tuple(_of_subnets(self.stack, subnets)), _why(own))

    @cached_property
    def asked_outside(self) -> AwsResource | None:
        """The rule by which they reach the API of a control plane whose group is not of this stack: EKS' own template
        of a node group is given that group as a parameter."""
        own = self.side.resources
        for rule in self.stack.of(*RULES):
            outside = SecurityGroup(rule, self.stack)
            if _is_outside(rule, self.stack) and any(
                each.way is Way.IN and each.covers("tcp", _API) and not own.isdisjoint(each.groups.found)
                for each in outside.openings
            ):
                return rule
        return None


_API = 443


def _is_outside(rule: AwsResource, stack: AwsStack) -> bool:
    return not stack.links(rule, "securityGroupId", rule.get("securityGroupId"), *GROUPS, CLUSTER).found


def _keeps_dns_away(nodes: NodeGroup) -> bool:
    taints = taints_in(nodes.groups("taints").sequence) if nodes.is_managed else ()
    return any(each.keeps_away and each.key not in _TOLERATED_BY_DNS for each in taints)


def _cluster_of(nodes: NodeGroup) -> str | None:
    if nodes.group is None or not nodes.is_managed:
        return None
    said = nodes.groups("clusterName")
    own = nodes.stack.links(nodes.group, "clusterName", said, CLUSTER).only
    return own.urn if own is not None else said.text


def _where_a_rule_is_missed(group: SecurityGroup) -> tuple[bool, int, str]:
    """First the one that opens most, last the cluster's own, which is EKS's to fill."""
    return (group.resource.type == CLUSTER, -len(group.openings), group.resource.urn)


def guarded_nodes(node_groups: Iterable[NodeGroup]) -> Iterator[GuardedNodes]:
    alike: dict[frozenset[object], list[NodeGroup]] = {}
    for each in node_groups:
        groups, not_found = each.security_groups
        # What guards them is not the same where it is not known.
        guards: set[object] = {group.resource for group in groups} | ({each} if not_found or not groups else set())
        alike.setdefault(frozenset(guards), []).append(each)
    return (GuardedNodes(some) for some in alike.values())


def _networks(group: NodeGroup) -> Iterator[Network]:
    return _of_subnets(group.stack, group.subnets)


def _of_subnets(stack: AwsStack, subnets: Links) -> Iterator[Network]:
    """The ranges of these subnets; where they are not told, that of the whole network."""
    known = [_range(each) for each in subnets.found]
    if known and all(known) and not subnets.open:
        return (each for each in known if each is not None)
    return (each for each in map(_range, stack.of(VPC)) if each is not None)


def _range(resource: AwsResource) -> Network | None:
    return network_of(resource.get("cidrBlock").string)


def _why(links: Links) -> str:
    if not links.open:
        return ""
    state = links.open[0].state
    return f"a security group of the control plane is not known: {state.why}" if isinstance(state, Unknown) else ""
