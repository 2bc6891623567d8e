"""The nodes of a group, the other nodes of its stack, and their control plane, as sides of a connection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from nodeworthy.facts.aws_stack import AwsResource, AwsStack, Links
from nodeworthy.facts.node_group import MANAGED, SUBNET, NodeGroup, node_groups
from nodeworthy.facts.reach import Network, Side
from nodeworthy.facts.security_group import CLUSTER, GROUPS, SecurityGroup, network_of
from nodeworthy.verdict import Located, Unknown

VPC = "aws:ec2/vpc:Vpc"


@dataclass(frozen=True)
class Sides:
    group: NodeGroup

    @property
    def stack(self) -> AwsStack:
        return self.group.stack

    @cached_property
    def nodes(self) -> Side:
        groups, not_found = self.group.security_groups
        if not groups and not not_found and self._has_the_clusters_group:
            groups = [SecurityGroup(each, self.stack) for each in self.stack.of(CLUSTER)]
        return Side(groups, tuple(self._networks()), self._unseen(not_found))

    @property
    def _has_the_clusters_group(self) -> bool:
        """EKS gives it to the nodes of its own groups that name none."""
        return self.group.group is not None and self.group.group.type == MANAGED

    def _unseen(self, not_found: Sequence[Located[str]]) -> str:
        if not_found:
            state = not_found[0].state
            assert isinstance(state, Unknown)
            return f"a security group of its nodes is not known: {state.why}"
        if self.group.template is None and not self._has_the_clusters_group:
            return self.group.no_template
        return ""

    def _networks(self) -> Iterator[Network]:
        """Those of its subnets; where they are not told, that of the whole network."""
        subnets = self.group.subnets
        known = [network_of(each.get("cidrBlock").text or "") for each in subnets.found]
        if known and all(known) and not subnets.open:
            yield from (each for each in known if each is not None)
            return
        yield from _all_networks(self.stack)

    @cached_property
    def control_plane(self) -> Side | None:
        """The interfaces that EKS puts into the network; None where the cluster is not of this stack."""
        clusters = self.stack.of(CLUSTER)
        if len(clusters) != 1:
            return None
        cluster = clusters[0]
        named = cluster.get("vpcConfig", "securityGroupIds")
        own = self.stack.links(cluster, "vpcConfig", named, *GROUPS)
        groups = [SecurityGroup(each, self.stack) for each in (cluster, *own.found)]
        return Side(groups, tuple(_of_control_plane(self.stack, cluster)), _why(own))

    @property
    def other_nodes(self) -> Sequence[NodeGroup]:
        """One group for each set of security groups there is, its own among them: most pools share theirs."""
        found: Sequence[NodeGroup] | None = self.stack.kept.get("guarded differently")
        if found is None:
            distinct: dict[frozenset[AwsResource], NodeGroup] = {}
            for each in node_groups(self.stack):
                distinct.setdefault(_guards(each), each)
            found = self.stack.kept["guarded differently"] = list(distinct.values())
        return found

    def guarded_alike(self, other: NodeGroup) -> bool:
        return _guards(self.group) == _guards(other)


def _guards(group: NodeGroup) -> frozenset[AwsResource]:
    groups, _ = group.security_groups
    return frozenset(each.resource for each in groups)


def _why(links: Links) -> str:
    if not links.open:
        return ""
    state = links.open[0].state
    return f"a security group of the control plane is not known: {state.why}" if isinstance(state, Unknown) else ""


def _of_control_plane(stack: AwsStack, cluster: AwsResource) -> Iterator[Network]:
    subnets = stack.links(cluster, "vpcConfig", cluster.get("vpcConfig", "subnetIds"), SUBNET)
    known = [network_of(each.get("cidrBlock").text or "") for each in subnets.found]
    if known and all(known) and not subnets.open:
        yield from (each for each in known if each is not None)
        return
    yield from _all_networks(stack)


def _all_networks(stack: AwsStack) -> Iterator[Network]:
    for vpc in stack.of(VPC):
        network = network_of(vpc.get("cidrBlock").text or "")
        if network is not None:
            yield network
