"""What starts nodes: an auto scaling group with its launch template, or what stands for both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from nodeworthy.documents.tree import Tree, absent
from nodeworthy.facts.aws.security_group import CLUSTER, GROUPS, SecurityGroup
from nodeworthy.facts.aws.stack import AwsResource, AwsStack, Links
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place, Related, Unknown

SCALING_GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CONFIGURATION = "aws:ec2/launchConfiguration:LaunchConfiguration"
MANAGED = "aws:eks/nodeGroup:NodeGroup"
INSTANCES = ("aws:ec2/instance:Instance", "aws:ec2/spotInstanceRequest:SpotInstanceRequest")
SUBNET = "aws:ec2/subnet:Subnet"
INTERFACE = "aws:ec2/networkInterface:NetworkInterface"
ATTACHMENT = "aws:ec2/networkInterfaceAttachment:NetworkInterfaceAttachment"
# Ways to join that only EKS has.
WAYS_OF_EKS = frozenset({"nodeadm", "bootstrap.sh", "bottlerocket"})
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
    # The ways in which its boot script joins a cluster; None where nothing says whether it does.
    joins: frozenset[str] | None = None
    # Where the account, and nothing here, says what guards them: who chooses it, and how.
    guarded_by: str = ""
    # Whoever makes the group takes the image for the processors of its type.
    has_fitting_image: bool = False
    # Where it says that the cluster's autoscaler is to change its size.
    scaled_by: Place | None = None

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
        """What the launch template says; of an instance, also the template that it is started from. Absent where there
        is none, unknown where it is not of this stack."""
        if self.template is None:
            return absent(self.place)
        if self.template.is_read:
            why = f"{self.template.title} exists already, and what it says is not of this stack"
            return Tree(Unknown(why), self.place)
        own = self.template.get(*path)
        return self.base.get(*path) if own.is_absent and self.base is not None else own

    @cached_property
    def base(self) -> AwsResource | None:
        """The launch template that an instance is started from."""
        if self.template is None or self.template.type not in INSTANCES:
            return None
        return _template(self.stack, self.template).only

    def groups(self, *path: str) -> Tree:
        """What the group says; nothing where there is none."""
        return self.group.get(*path) if self.group is not None else absent(self.place)

    @property
    def is_managed(self) -> bool:
        return self.group is not None and self.group.type == MANAGED

    @cached_property
    def cluster(self) -> AwsResource | None:
        """The cluster of this stack that a managed group names. For other nodes the only one of the stack, unless they
        join in another way."""
        clusters = self.stack.of(CLUSTER)
        if self.group is not None and self.is_managed:
            return self.stack.links(self.group, "clusterName", self.group.get("clusterName"), CLUSTER).only
        return clusters[0] if len(clusters) == 1 and not self._is_of_another_cluster else None

    @property
    def _is_of_another_cluster(self) -> bool:
        """Whether it joins in a way that EKS does not have; of a single machine, whether it joins nothing."""
        if self.joins is None or not WAYS_OF_EKS.isdisjoint(self.joins):
            return False
        return bool(self.joins) or self.group is None

    @cached_property
    def interfaces(self) -> Sequence[Tree]:
        """The network interfaces that its machines start with, and those that are attached to a single machine
        afterwards."""
        return [*self._first_interfaces, *(each.get() for each in self._attachments)]

    @cached_property
    def _first_interfaces(self) -> Sequence[Tree]:
        return self.templates("networkInterfaces").sequence

    @cached_property
    def _attachments(self) -> Sequence[AwsResource]:
        if self.template is None or self.template.type not in INSTANCES:
            return ()
        return self.stack.pointing_at(self.template, "instanceId", (ATTACHMENT,))

    def of_interface(self, interface: Tree, name: str) -> Tree:
        """What an interface says, here or as a resource of its own that is named here."""
        own = self._made_by_itself(interface)
        return own.get(name) if own is not None else interface.get(name)

    def guards_of(self, interface: Tree) -> Links:
        """The security groups of an interface."""
        assert self.template is not None
        own, kinds = self._made_by_itself(interface), (*GROUPS, CLUSTER)
        if own is not None:
            return self.stack.links(own, "securityGroups", own.get("securityGroups"), *kinds)
        return self.stack.links(self.template, "networkInterfaces", interface.get("securityGroups"), *kinds)

    def _made_by_itself(self, interface: Tree) -> AwsResource | None:
        named = interface.get("networkInterfaceId")
        if self.template is None or named.is_absent:
            return None
        return self.stack.links(self.template, "networkInterfaces", named, INTERFACE).only

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
    def security_groups(self) -> tuple[Sequence[SecurityGroup], Sequence[Located[str]]]:
        """The security groups of its nodes, and the values of which none could be told."""
        if self.template is None:
            return (), ()
        found, open_ = list[AwsResource](), list[Sequence[Located[str]]]()
        for links in self._security(self.template):
            found += links.found
            open_.append(links.open)
        return [SecurityGroup(each, self.stack) for each in dict.fromkeys(found)], list(_each_once(open_))

    def _security(self, template: AwsResource) -> Iterator[Links]:
        """The security groups; where interfaces are given, only theirs count."""
        yield from (self.guards_of(each) for each in self.interfaces)
        if not self._first_interfaces:
            for name in ("vpcSecurityGroupIds", "securityGroups"):
                yield self.stack.links(template, name, self.templates(name), *GROUPS, CLUSTER)


def _each_once(lists: Iterable[Sequence[Located[str]]]) -> Iterator[Located[str]]:
    """Every interface of a template names the same groups; two of one list are two, though nobody knows either."""
    most: Counter[object] = Counter()
    for each in lists:
        own: Counter[object] = Counter()
        for located in each:
            own[located.state] += 1
            if own[located.state] > most[located.state]:
                most[located.state] += 1
                yield located


def node_groups(stack: AwsStack) -> Iterator[NodeGroup]:
    """All that starts nodes. Of which pool they are is for others to say."""
    used: set[str] = set()
    for group in (each for each in stack.of(SCALING_GROUP, MANAGED) if not each.is_read):
        links = _template(stack, group)
        found = dict.fromkeys((*links.found, *_overriding(stack, group)))
        used |= {each.urn for each in found}
        if not found:
            yield NodeGroup(stack, group, None, _why_none(links))
        yield from (NodeGroup(stack, group, each) for each in found)
    used |= {base.urn for each in stack.of(*INSTANCES) for base in _template(stack, each).found}
    for alone in stack.of(TEMPLATE, CONFIGURATION, *INSTANCES):
        if alone.urn not in used and not alone.is_read:
            yield NodeGroup(stack, None, alone)


def _why_none(links: Links) -> str:
    for each in links.open:
        if isinstance(each.state, Unknown):
            return f"its launch template is not known: {each.state.why}"
    return "it has no launch template"


def _template(stack: AwsStack, group: AwsResource) -> Links:
    for path in _TEMPLATES:
        said = group.get(*path)
        if said.says_nothing:
            continue
        return _links_by_name(stack, group, path[0], said)
    return stack.links(group, "launchConfiguration", group.get("launchConfiguration"), CONFIGURATION)


def _overriding(stack: AwsStack, group: AwsResource) -> Iterator[AwsResource]:
    """The templates of types that are not started from the group's own."""
    for each in group.get("mixedInstancesPolicy", "launchTemplate", "overrides").sequence:
        said = each.get("launchTemplateSpecification")
        if not said.says_nothing:
            yield from _links_by_name(stack, group, "mixedInstancesPolicy", said).found


def _links_by_name(stack: AwsStack, group: AwsResource, top: str, said: Tree) -> Links:
    if isinstance(said.value, (str, int)) or said.is_unknown:
        return stack.links(group, top, said, TEMPLATE)
    for name in ("id", "launchTemplateId", "name", "launchTemplateName"):
        if not said.get(name).says_nothing:
            return stack.links(group, top, said.get(name), TEMPLATE)
    return Links()


def service_range(nodes: NodeGroup) -> Tree:
    """The range from which the cluster gives services their addresses, as it is written; EKS chooses one where none
    is."""
    return (
        nodes.cluster.get("kubernetesNetworkConfig", "serviceIpv4Cidr")
        if nodes.cluster is not None
        else absent(nodes.place)
    )
