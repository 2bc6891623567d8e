"""Which instances a group of nodes starts, or a fleet of EC2."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.facts.aws.node_group import MANAGED, NodeGroup
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.known import instances
from nodeworthy.known.instances import exists, gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

# What EKS starts where a managed group names no type.
_BY_DEFAULT = "t3.medium"
_FLEETS = ("aws:ec2/fleet:Fleet", "aws:ec2/spotFleetRequest:SpotFleetRequest")


def instance_types(nodes: NodeGroup) -> Sequence[Located[str | None]]:
    """The types of its nodes; several for a group that takes what it can get."""
    if said := written_types(nodes):
        return said
    if nodes.pool is not None and nodes.pool.instance_type is not None:
        return [nodes.pool.instance_type]
    if _takes_eks_default(nodes):
        return [Located.known(_BY_DEFAULT, nodes.place)]
    return [Located.unknown(f"which instances {nodes.title} starts is not known", nodes.place)]


def _takes_eks_default(nodes: NodeGroup) -> bool:
    """Whether a managed group says nothing of its machines: neither itself, nor by a template, nor by an image with
    NVIDIA's driver."""
    if nodes.group is None or nodes.group.type != MANAGED or nodes.template is not None:
        return False
    said = (nodes.groups(each) for each in ("instanceTypes", "launchTemplate", "amiType"))
    return all(each.says_nothing for each in said)


def written_types(nodes: NodeGroup) -> Sequence[Located[str | None]]:
    """The types that the program itself writes."""
    overrides = nodes.groups("mixedInstancesPolicy", "launchTemplate", "overrides")
    mixed = [each.get("instanceType") for each in overrides.sequence]
    if said := [each.located() for each in mixed if not each.says_nothing]:
        return said
    own = nodes.templates("instanceType")
    if not own.says_nothing:
        return [own.located()]
    every = nodes.groups("instanceTypes")
    return [every.located()] if every.is_unknown else [each.located() for each in every.sequence]


@dataclass(frozen=True, eq=False)
class Ec2Fleet:
    """A fleet of EC2, or a request for spot machines: it starts instances of a list of types."""

    called: ClassVar[str] = "a fleet of EC2"

    resource: AwsResource

    @property
    def place(self) -> Place:
        return self.resource.place

    @property
    def title(self) -> str:
        return self.resource.title

    @property
    def types(self) -> Sequence[Located[str | None]]:
        configs = self.resource.get("launchTemplateConfigs").sequence
        overrides = [one for config in configs for one in config.get("overrides").sequence]
        every = (*overrides, *self.resource.get("launchSpecifications").sequence)
        said = [each.get("instanceType") for each in every]
        return [each.located() for each in said if not each.says_nothing]


def ec2_fleets(stack: AwsStack) -> Iterator[Ec2Fleet]:
    yield from (Ec2Fleet(each) for each in stack.of(*_FLEETS) if not each.is_read)


def does_not_exist(said: Located[str | None]) -> bool:
    return isinstance(said.state, Known) and bool(said.state.value) and not exists(str(said.state.value))


def instance_type(nodes: NodeGroup) -> Located[str | None]:
    types = instance_types(nodes)
    if len(types) == 1:
        return types[0]
    return Located.unknown(f"{nodes.title} starts instances of several types", nodes.place)


def not_of_its_pool(nodes: NodeGroup) -> Sequence[Located[str | None]]:
    """The group's known types that the fleet does not give its pool; where the fleet names the GPU alone, types with
    another GPU."""
    return [
        each for each in instance_types(nodes) if isinstance(each.state, Known) and not _fits(each.state.value, nodes)
    ]


def _fits(name: str | None, nodes: NodeGroup) -> bool:
    pool = nodes.pool
    if pool is None or name is None:
        return True
    if pool.instance_type is not None:
        return _may_be(pool.instance_type, name)
    has = gpus_of(name)
    return pool.gpu is None or has is None or _may_be(pool.gpu, has.gpu)


def _may_be(said: Located[str], name: str) -> bool:
    return isinstance(said.state, Unknown) or said.state.value == name


def has_gpus(nodes: NodeGroup) -> Located[bool]:
    if nodes.pool is not None:
        return Located.known(nodes.pool.is_gpu, nodes.pool.place)
    types = instance_types(nodes)
    if any(isinstance(each.state, Known) and instances.has_gpus(str(each.state.value)) for each in types):
        return Located.known(True, nodes.place)
    for each in types:
        if isinstance(each.state, Unknown):
            return Located(each.state, each.place)
        if does_not_exist(each):
            return Located.unknown(f"{each.state.value} is no instance type", each.place)
    return Located.known(False, nodes.place)
