"""The resources of one stack as facts, each node group and each boot script with the pool that it is of.

Whoever reads resources in a new form makes `AwsResource`s of them, and has all that rules judge:

1. An `AwsResource` has Pulumi's type and Pulumi's names for its properties (known/terraform.toml has Terraform's). Its
   `urn` is any word by which it is told apart. Another one refers to it by an `Unknown` that is `of` this word, by its
   `dependencies` (of a property, the words of those that it was made of), or by a name or an id that both tell.
2. `Stack` is told how the boot scripts of a resource are read: `scripts_of` of `user_data.py` where a property holds
   the whole text, and a reader of one's own where its lines stand in files.
3. `Stack.facts` lays the fleet beside it, where one is declared; `gpu_pools` says which pools there are where none is.
   In a folder of files both are asked by `collect/source/collector.py`, of each stack in `Found.stacks`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy.collect.aws.user_data import OWN_IMAGE
from nodeworthy.facts.aws.disk import disks
from nodeworthy.facts.aws.efa_group import efa_groups
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_drainer import Handler, NodeDrainers, is_of_a_cluster
from nodeworthy.facts.aws.node_group import MANAGED, SCALING_GROUP, NodeGroup, node_groups
from nodeworthy.facts.aws.node_sides import guarded_nodes, is_something_else
from nodeworthy.facts.aws.node_types import ec2_fleets, has_gpus
from nodeworthy.facts.aws.pools_by_evidence import pools_of_groups, what_follows
from nodeworthy.facts.aws.security_group import CLUSTER, security_groups
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.boot.pool_drivers import with_image
from nodeworthy.facts.boot.script import POOL_LABEL, BootPool, BootScript, NotInFleet
from nodeworthy.facts.fleet.gpu_pool import GpuPool, PoolDoor, doors_of_pools
from nodeworthy.facts.fleet.pool_system import planned_systems
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.fleet.model import Fleet, Pool
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Known, NotKnown, Unknown, value_if_known

if TYPE_CHECKING:
    from nodeworthy.boot.userdata import Part

_ReadScripts = Callable[[AwsResource], Sequence[BootScript]]


@dataclass(frozen=True)
class Stack:
    """The resources of a stack, and what of them only their own reader can tell."""

    resources: AwsStack
    # What the machines of a resource boot with; of which pool it is, is said here.
    read_scripts: _ReadScripts
    # What cordons and drains nodes, of the objects of Kubernetes that are declared beside them.
    handlers: Sequence[Handler] = ()

    def facts(self, fleet: Fleet | None, no_fleet: str = "") -> list[Fact]:
        """All that rules ask for of AWS, judged by this fleet; `no_fleet` says why there is none."""
        return list(_InFleet(self, fleet, no_fleet).facts())

    def gpu_pools(self, facts: Sequence[Fact]) -> list[GpuPool]:
        """The pools that follow from these facts of it, where no fleet declares any."""
        values = [each for each in facts if isinstance(each, OperatorValues) and not each.cluster]
        pools = self.pools_of_its_groups(facts)
        # In a stack of several clusters nothing says for the nodes of which of them such values are.
        if len(self.resources.of(CLUSTER)) < 2:
            return pools
        from nodeworthy.facts.fleet.pools_by_evidence import settle_drivers

        return settle_drivers(pools, values)

    def doors(self, facts: Sequence[Fact]) -> list[PoolDoor]:
        """What decides which pods come to the nodes of its groups; of several clusters nobody knows it."""
        return doors_of_pools(self.pools_of_its_groups(facts)) if len(self.resources.of(CLUSTER)) < 2 else []

    def pools_of_its_groups(self, facts: Sequence[Fact]) -> list[GpuPool]:
        groups = [each for each in facts if isinstance(each, NodeGroup)]
        return pools_of_groups(groups, [each for each in facts if isinstance(each, BootScript)])

    def scripts(self, resource: AwsResource) -> Sequence[BootScript]:
        """Each is read once, whoever asks."""
        if resource.urn not in self._scripts:
            read = self.read_scripts(resource)
            self._scripts[resource.urn] = [replace(each, holder=resource.urn) for each in read]
        return self._scripts[resource.urn]

    @cached_property
    def _scripts(self) -> dict[str, Sequence[BootScript]]:
        return {}

    @cached_property
    def scripts_lie_in(self) -> frozenset[str]:
        """The files in which lines of its scripts stand."""
        read = (script.read for each in self.resources.resources for script in self.scripts(each))
        paths = (path for each in read if each is not None for part in each.parts for path in _paths(part))
        return frozenset(paths)

    @cached_property
    def groups(self) -> Sequence[NodeGroup]:
        """The groups of nodes, before any of them has its pool."""
        return list(node_groups(self.resources))

    @property
    def starts_nodes(self) -> bool:
        """Whether it starts nodes: of a cluster, or with GPUs. Most stacks start other machines, and nobody asks about
        those."""
        if self.resources.of(CLUSTER, MANAGED):
            return True
        if any(is_of_a_cluster(each) or _has_efa(each) or _is_called_after_gpus(each) for each in self.groups):
            return True
        return any(_joins(script) for each in self.resources.resources for script in self.scripts(each))


def _paths(part: Part) -> Iterator[str]:
    """One script may be put together of several files."""
    for line in range(1, part.text.count("\n") + 2):
        path = part.origin.at(line, 1).path
        if path is not None:
            yield path


def _has_efa(nodes: NodeGroup) -> bool:
    return any(nodes.of_interface(each, "interfaceType").string.startswith("efa") for each in nodes.interfaces)


# `gpu_node`, `ec2-gpu`, `GpuInstance`; not what is called after something that ends so.
_OF_GPUS = pattern(r"(?:(?<![A-Za-z])(?:gpu|nvidia|cuda)|GPU|Gpu|Nvidia|NVIDIA|Cuda|CUDA)s?(?![a-z])")


def _is_called_after_gpus(nodes: NodeGroup) -> bool:
    """Whether its name speaks of GPUs, where nobody says of what machines it is."""
    names = [each.name for each in (nodes.group, nodes.template) if each is not None]
    return any(map(_OF_GPUS.search, names)) and isinstance(has_gpus(nodes).state, Unknown)


def _joins(script: BootScript) -> bool:
    """Or makes a cluster's first node: `kubeadm init`, k3s or RKE2 as a server."""
    from nodeworthy.facts.boot.cluster_join import joins_of
    from nodeworthy.facts.boot.critical_steps import critical_steps

    try:
        return bool(joins_of(script) or critical_steps(script.timeline))
    except NotKnown:
        return False


@dataclass(frozen=True)
class _InFleet:
    stack: Stack
    fleet: Fleet | None
    no_fleet: str

    def facts(self) -> Iterator[Fact]:
        resources = self.stack.resources
        yield resources
        yield from resources.resources
        groups = [self._of_its_pool(each) for each in self.stack.groups]
        others = (each.template for each in groups if is_something_else(each))
        yield from security_groups(resources, frozenset(each.urn for each in others if each is not None))
        yield from groups
        yield from ec2_fleets(resources)
        yield from guarded_nodes(groups)
        yield from disks(resources, groups)
        yield from efa_groups(groups)
        yield NodeDrainers(resources, self.stack.handlers)
        yield from planned_systems(groups)
        images = {each.template.urn: image_of(each) for each in groups if each.template is not None}
        for each in resources.resources:
            yield from (with_image(script, images.get(each.urn)) for script in self._scripts(each))

    # Boot scripts

    def _scripts(self, resource: AwsResource) -> Sequence[BootScript]:
        if resource.urn not in self._placed:
            self._placed[resource.urn] = [self._in_its_pool(each, resource) for each in self.stack.scripts(resource)]
        return self._placed[resource.urn]

    @cached_property
    def _placed(self) -> dict[str, Sequence[BootScript]]:
        return {}

    def _in_its_pool(self, script: BootScript, resource: AwsResource) -> BootScript:
        if resource.urn in self._names.templates_of(MANAGED):
            has_image = not _is_unsaid(resource, "imageId")
            is_said = _is_said(resource, "imageId")
            script = replace(script, on_its_own=OWN_IMAGE if is_said else "", is_merged=not has_image)
        if self.fleet is None:
            from nodeworthy.facts.boot.pools import in_fleet

            groups = [replace(each, joins=_ways_of([script])) for each in self._groups_of.get(resource.urn, ())]
            return in_fleet(script, None, self._why_of_no_fleet(groups, [script]))
        pool = pool_named(self._names, self.fleet, resource, script)
        if isinstance(pool, str):
            return replace(script, no_pool=pool)
        return replace(script, pools=(BootPool(pool, self.fleet),))

    @cached_property
    def _groups_of(self) -> Mapping[str, Sequence[NodeGroup]]:
        """The groups by what they are started from."""
        found = defaultdict[str, list[NodeGroup]](list)
        for each in self.stack.groups:
            if each.template is not None:
                found[each.template.urn].append(each)
        return found

    def _why_of_no_fleet(self, groups: Sequence[NodeGroup], scripts: Sequence[BootScript]) -> str:
        """Why there is no fleet. Nothing need be given where each group itself says what its nodes are."""
        if not groups or not all(_says_what_it_is(each, scripts) for each in groups):
            return self.no_fleet
        return f"no fleet declares {groups[0].title}, which says itself what its nodes are"

    @cached_property
    def _names(self) -> PoolNames:
        return PoolNames(self.stack.groups)

    # Groups

    def _of_its_pool(self, group: NodeGroup) -> NodeGroup:
        if group.template is not None:
            group = replace(group, joins=self._joins(group.template))
        if self.fleet is None:
            return replace(group, no_pool=self._why_of_no_fleet([group], self._own_scripts(group)))
        pool = self._pool_of([each for each in (group.template, group.group) if each is not None])
        if isinstance(pool, str):
            return replace(group, no_pool=pool, fleet=self.fleet)
        return replace(group, pool=pool, fleet=self.fleet)

    def _joins(self, template: AwsResource) -> frozenset[str] | None:
        """The ways in which what it boots with joins a cluster; None where that can't be told."""
        return _ways_of(self._scripts(template))

    def _own_scripts(self, group: NodeGroup) -> Sequence[BootScript]:
        return self._scripts(group.template) if group.template is not None else ()

    def _pool_of(self, resources: Sequence[AwsResource]) -> Pool | str:
        """The pool of what starts nodes, by these resources (its launch template before its group), or why of none."""
        assert self.fleet is not None
        told = "nothing says which pool it is for"
        for resource in resources:
            scripts = self._scripts(resource)
            if scripts and scripts[0].pools:
                return scripts[0].pools[0].pool
            pool = scripts[0].no_pool if scripts else pool_named(self._names, self.fleet, resource, None)
            if not isinstance(pool, str):
                return pool
            told = pool
        return told


def _ways_of(scripts: Sequence[BootScript]) -> frozenset[str] | None:
    """What reads scripts is imported only where there are some."""
    if not scripts:
        return None
    from nodeworthy.facts.boot.cluster_join import joins_of

    try:
        ways = [joins_of(each) for each in scripts]
    except NotKnown:
        return None
    known = [each for each in ways if each is not None]
    return frozenset().union(*known) if known and len(known) == len(ways) else None


def _says_what_it_is(group: NodeGroup, scripts: Sequence[BootScript]) -> bool:
    gpus = has_gpus(group).state
    return gpus == Known(False) or (
        gpus == Known(True) and isinstance(what_follows(group, scripts).distribution.state, Known)
    )


def _is_unsaid(resource: AwsResource, name: str) -> bool:
    return resource.get(name).says_nothing


def _is_said(resource: AwsResource, name: str) -> bool:
    said = resource.get(name)
    return not said.says_nothing and said.text != ""


# Of which pool of a fleet a resource is: by its tags, the labels of its nodes, its instance type, or its group's.


_GROUPS = (SCALING_GROUP, MANAGED)


@dataclass(frozen=True)
class PoolNames:
    groups: Sequence[NodeGroup]

    def tagged(self, resource: AwsResource) -> str | None:
        return _tagged(resource) or self._tags_of_groups.get(resource.urn)

    def instance_type(self, resource: AwsResource) -> str | None:
        return _only_type(resource) or self._types_of_groups.get(resource.urn)

    @cached_property
    def _tags_of_groups(self) -> Mapping[str, str]:
        """For each launch template, the pool with which the group that starts its nodes is tagged."""
        return dict(self._by_template(_tagged))

    @cached_property
    def _types_of_groups(self) -> Mapping[str, str]:
        return dict(self._by_template(_only_type))

    def templates_of(self, kind: str) -> frozenset[str]:
        """The launch templates from which groups of this kind start nodes."""
        return frozenset(template.urn for group, template in self._pairs if group.type == kind)

    @cached_property
    def _pairs(self) -> Sequence[tuple[AwsResource, AwsResource]]:
        return [(each.group, each.template) for each in self.groups if each.group is not None and each.template]

    def _by_template(self, said_by: Callable[[AwsResource], str | None]) -> Iterable[tuple[str, str]]:
        for group, template in self._pairs:
            said = said_by(group)
            if said is not None:
                yield template.urn, said


def _tagged(resource: AwsResource) -> str | None:
    """The pool that tags name, a mapping or the list that auto scaling groups take, or that the labels do which EKS
    gives the nodes of its groups."""
    tags = resource.get("tags")
    named = [each.get("value") for each in tags.sequence if each.get("key").text == POOL_LABEL]
    named += [tags.get(POOL_LABEL)] if tags.is_mapping else []
    named += [each.get("tags", POOL_LABEL) for each in resource.get("tagSpecifications").sequence]
    if resource.type in _GROUPS:
        named.append(resource.get("labels").get(POOL_LABEL))
    return next((each.text for each in named if each.text is not None), None)


def _only_type(resource: AwsResource) -> str | None:
    own = resource.get("instanceType").text
    every = {each.text for each in resource.get("instanceTypes").sequence}
    return own or (every.pop() if len(every) == 1 else None)


def pool_named(names: PoolNames, fleet: Fleet, resource: AwsResource, script: BootScript | None) -> Pool | str:
    """The pool that the tags or the node's own label name, else the only pool of its instance type; or why none."""
    tagged = names.tagged(resource)
    is_readable = script is not None and script.read is not None
    named = tagged
    if named is None and script is not None and is_readable:
        from nodeworthy.facts.boot.pools import named_pool

        named = named_pool(script.timeline)
    if named is not None:
        found = next((pool for pool in fleet.pools if pool.name == named), None)
        says = "its tags name" if tagged else "its node label names"
        return found or NotInFleet(says, named)
    kind = names.instance_type(resource)
    fitting = [pool for pool in fleet.pools if kind is not None and _type_of(pool) == kind]
    if len(fitting) == 1:
        return fitting[0]
    return f"nothing says which pool it is for: no tag {POOL_LABEL}, and {_how_many(len(fitting), kind)}"


def _type_of(pool: Pool) -> str | None:
    located = pool.instance_type
    return value_if_known(located)


def _how_many(count: int, kind: str | None) -> str:
    if kind is None:
        return "its instance type is not known"
    return f"{'no pool is' if not count else f'{count} pools are'} of {kind}"
