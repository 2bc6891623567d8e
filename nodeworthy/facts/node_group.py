"""What starts nodes: an auto scaling group with its launch template, or what stands for both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws_stack import AwsResource, AwsStack, Links
from nodeworthy.facts.security_group import CLUSTER, GROUPS, SecurityGroup
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.verdict import Located, Place, Related

SCALING_GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
INSTANCES = ("aws:ec2/instance:Instance", "aws:ec2/spotInstanceRequest:SpotInstanceRequest")
SUBNET = "aws:ec2/subnet:Subnet"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
# Where a group says from which template it starts its nodes.
_TEMPLATES = (
    ("launchTemplate",),
    ("mixedInstancesPolicy", "launchTemplate", "launchTemplateSpecification"),
)


@dataclass(frozen=True, eq=False)
class NodeGroup:
    called: ClassVar[str] = "a group of nodes"
    whole_stack: ClassVar[bool] = True

    stack: AwsStack
    # What scales: an auto scaling group, a managed node group; None for a launch template that no group here uses, and
    # for a single instance.
    group: AwsResource | None
    # What the nodes are started from: a launch template, a launch configuration, the instance itself. None where that
    # is not of this stack; `no_template` says why.
    template: AwsResource | None
    no_template: str = ""
    pool: Pool | None = None
    # Why it is of no pool.
    no_pool: str = "no fleet was given"
    fleet: Fleet | None = None

    @property
    def resource(self) -> AwsResource:
        """The one to which its faults belong where they belong to neither half."""
        one = self.group or self.template
        assert one is not None
        return one

    @property
    def place(self) -> Place:
        return self.resource.place

    @property
    def title(self) -> str:
        return f"pool '{self.pool.name}'" if self.pool is not None else self.resource.title

    @property
    def declared(self) -> Iterator[Related]:
        """The other end of most findings: where the fleet declares this pool."""
        if self.pool is not None:
            yield Related(self.pool.place, f"pool '{self.pool.name}' is declared here")

    def templates(self, *path: str) -> Tree:
        """What the launch template says; absent where there is none."""
        return self.template.get(*path) if self.template is not None else Tree(None, self.place)

    @cached_property
    def instance_type(self) -> Located[str | None]:
        if self.template is not None:
            own = self.template.get("instanceType")
            if not own.is_absent and not own.is_null:
                return own.located()
        if self.group is not None and self.group.type == MANAGED:
            types = self.group.get("instanceTypes")
            if types.is_sequence and len(types.sequence) == 1:
                return types.sequence[0].located()
        if self.pool is not None and self.pool.instance_type is not None:
            return self.pool.instance_type
        return Located.unknown(f"which instances {self.title} starts is not known", self.place)

    @cached_property
    def interfaces(self) -> Sequence[Tree]:
        return self.templates("networkInterfaces").sequence

    @cached_property
    def subnets(self) -> Links:
        """The subnets that its nodes may start in."""
        for holder, name in (
            (self.group, "vpcZoneIdentifiers"),
            (self.group, "subnetIds"),
            (self.template, "subnetId"),
        ):
            if holder is not None and not holder.get(name).is_absent:
                return self.stack.links(holder, name, holder.get(name), SUBNET)
        return Links()

    @cached_property
    def zones(self) -> Sequence[Located[str | None]]:
        """The zones that its nodes may start in, as far as they are known."""
        named = self.group.get("availabilityZones") if self.group is not None else Tree(None, self.place)
        own = [each.located() for each in named.sequence]
        return own or [each.get("availabilityZone").located() for each in self.subnets.found]

    @cached_property
    def placement(self) -> Tree:
        """The placement group by its name, absent or null where there is none."""
        of_group = self.group.get("placementGroup") if self.group is not None else Tree(None, self.place)
        if not of_group.is_absent and not of_group.is_null:
            return of_group
        return self.templates("placement", "groupName")

    @cached_property
    def security_groups(self) -> tuple[Sequence[SecurityGroup], Sequence[Located[str]]]:
        """The security groups of its nodes, and the values of which none could be told."""
        if self.template is None:
            return (), ()
        found, open_ = list[AwsResource](), list[Located[str]]()
        for top, value in self._security():
            links = self.stack.links(self.template, top, value, *GROUPS, CLUSTER)
            found += links.found
            open_ += links.open
        return [SecurityGroup(each, self.stack) for each in dict.fromkeys(found)], open_

    def _security(self) -> Iterator[tuple[str, Tree]]:
        """With interfaces given, only theirs count."""
        if self.interfaces:
            yield from (("networkInterfaces", each.get("securityGroups")) for each in self.interfaces)
            return
        yield from ((name, self.templates(name)) for name in ("vpcSecurityGroupIds", "securityGroups"))


def node_groups(stack: AwsStack) -> Iterator[NodeGroup]:
    """All that starts nodes. Of which pool they are is for others to say."""
    used: set[str] = set()
    for group in stack.of(SCALING_GROUP, MANAGED):
        links = _template(stack, group)
        used |= {each.urn for each in links.found}
        why = links.open[0] if links.open else None
        told = f"its launch template is not known: {why.state.why}" if why is not None else "it has no launch template"  # type: ignore[union-attr]
        if not links.found:
            yield NodeGroup(stack, group, None, told)
        yield from (NodeGroup(stack, group, each) for each in links.found)
    for alone in stack.of(TEMPLATE, CONFIGURATION, *INSTANCES):
        if alone.urn not in used and not alone.is_read:
            yield NodeGroup(stack, None, alone)


def _template(stack: AwsStack, group: AwsResource) -> Links:
    for path in _TEMPLATES:
        said = group.get(*path)
        if said.is_absent or said.is_null:
            continue
        if isinstance(said.value, (str, int)) or said.is_unknown:
            return stack.links(group, path[0], said, TEMPLATE)
        for name in ("id", "launchTemplateId", "name", "launchTemplateName"):
            if not said.get(name).is_absent and not said.get(name).is_null:
                return stack.links(group, path[0], said.get(name), TEMPLATE)
    return stack.links(group, "launchConfiguration", group.get("launchConfiguration"), CONFIGURATION)
