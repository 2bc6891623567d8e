"""The AWS resources of a plan as facts, each node group with the pool that it is of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.collect.plan.asked_images import asked_images
from nodeworthy.collect.plan.boot_scripts import BootScripts
from nodeworthy.collect.plan.drainers import drainers
from nodeworthy.collect.plan.plan import Plan, Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.engine import Fact
from nodeworthy.facts.aws.cluster_nodes import is_something_else
from nodeworthy.facts.aws.disk import disks
from nodeworthy.facts.aws.efa_group import efa_groups
from nodeworthy.facts.aws.node_group import NodeGroup, node_groups
from nodeworthy.facts.aws.node_sides import guarded
from nodeworthy.facts.aws.node_types import ec2_fleets
from nodeworthy.facts.aws.security_group import security_groups
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_PREFIX = "aws:"


@dataclass(frozen=True)
class Aws:
    plan: Plan
    scripts: BootScripts
    unknown: str

    def facts(self) -> Iterator[Fact]:
        planned = [each for each in self.plan.resources if each.type.startswith(_PREFIX)]
        if not planned:
            return
        place = Place(subject=f"stack {self.plan.stack}")
        stack = AwsStack(place, [self._resource(each) for each in planned], dict(asked_images(self.plan.asked)))
        yield stack
        yield from stack.resources
        groups = [self._of_its_pool(each) for each in node_groups(stack)]
        others = (each.template for each in groups if is_something_else(each))
        yield from security_groups(stack, frozenset(each.urn for each in others if each is not None))
        yield from groups
        yield from ec2_fleets(stack)
        yield from guarded(groups)
        yield from disks(stack, groups)
        yield from efa_groups(groups)
        yield drainers(stack, self.plan.resources, self.unknown)

    def _resource(self, planned: Resource) -> AwsResource:
        planter = Planter(planned.place, self.scripts.made, self.unknown, planned.property_dependencies)
        return AwsResource(
            planned.type,
            planned.name,
            planned.urn,
            planned.place,
            lambda: planter.tree(dict(planned.inputs)),
            planned.property_dependencies,
            {"id": planned.options.get("id"), **planned.outputs} if planned.read else planned.outputs,
            is_read=planned.read,
        )

    def _of_its_pool(self, group: NodeGroup) -> NodeGroup:
        fleet = self.scripts.fleet
        if group.template is not None:
            group = replace(group, joins=self.scripts.joins(group.template.urn))
        if fleet is None:
            return replace(group, no_pool=self.scripts.no_fleet)
        pool = self.scripts.pool_of([each.urn for each in (group.template, group.group) if each is not None])
        if isinstance(pool, str):
            return replace(group, no_pool=pool, fleet=fleet)
        return replace(group, pool=pool, fleet=fleet)
