"""The AWS resources of a plan as facts, each node group with the pool that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nodeworthy.collect.plan.boot_scripts import BootScripts
from nodeworthy.collect.plan.plan import Plan, Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.disk import disks
from nodeworthy.facts.aws.efa_group import efa_groups
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, NodeDrainers, is_handler, variables
from nodeworthy.facts.aws.node_group import NodeGroup, node_groups
from nodeworthy.facts.aws.node_sides import guarded_nodes, is_something_else
from nodeworthy.facts.aws.node_types import ec2_fleets
from nodeworthy.facts.aws.security_group import security_groups
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.records import dataclass
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_PARAMETER = "aws:ssm/getParameter:getParameter"
_IMAGE = "aws:ec2/getAmi:getAmi"


def _asked_images(
    asked: Iterable[tuple[str, Mapping[str, Any], Mapping[str, Any]]],
) -> Iterator[tuple[str, AskedImage]]:
    for call, arguments, answer in asked:
        if call == _PARAMETER and isinstance(answer.get("value"), str):
            yield answer["value"], AskedImage(str(arguments.get("name") or answer.get("name")))
        elif call == _IMAGE:
            told = AskedImage(_name(arguments, answer), _owners(arguments, answer))
            yield from ((each, told) for name in ("id", "imageId") if isinstance(each := answer.get(name), str))


def _name(arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """What it is called, else what it was to be called."""
    if isinstance(answer.get("name"), str):
        return str(answer["name"])
    for each in arguments.get("filters") or ():
        if isinstance(each, Mapping) and each.get("name") == "name" and each.get("values"):
            return str(each["values"][0])
    return str(arguments.get("nameRegex") or answer.get("id"))


def _owners(arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> frozenset[str]:
    owner = answer.get("ownerId") or answer.get("imageOwnerAlias")
    return frozenset(map(str, [owner] if owner else arguments.get("owners") or ()))


_HELM = "kubernetes:helm.sh/"
_WORKLOADS = ("kubernetes:apps/v1:DaemonSet", "kubernetes:apps/v1:Deployment")
_FILES = "its settings may stand in a file that is not read here"


def _drainers(stack: AwsStack, resources: Sequence[Resource], unknown: str) -> NodeDrainers:
    return NodeDrainers(stack, [each for resource in resources for each in _handlers(resource, unknown)])


def _handlers(resource: Resource, unknown: str) -> Iterator[Handler]:
    if not resource.type.startswith(_HELM) and resource.type not in _WORKLOADS:
        return
    inputs = Planter(resource.place, None, unknown, resource.property_dependencies).tree(dict(resource.inputs))
    title = f"{HANDLER} '{resource.name}'"
    if resource.type.startswith(_HELM):
        if is_handler(inputs.get("chart")):
            files = inputs.get("valueYamlFiles")
            yield Handler(title, resource.place, inputs.get("values"), None if files.is_absent else _FILES)
        return
    for container in inputs.get("spec", "template", "spec", "containers").sequence:
        if _is_of_handler(container):
            yield Handler(title, resource.place, variables(container))


def _is_of_handler(container: Tree) -> bool:
    return HANDLER in (container.get("image").text or "")


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
        stack = AwsStack(place, [self._resource(each) for each in planned], dict(_asked_images(self.plan.asked)))
        yield stack
        yield from stack.resources
        groups = [self._of_its_pool(each) for each in node_groups(stack)]
        others = (each.template for each in groups if is_something_else(each))
        yield from security_groups(stack, frozenset(each.urn for each in others if each is not None))
        yield from groups
        yield from ec2_fleets(stack)
        yield from guarded_nodes(groups)
        yield from disks(stack, groups)
        yield from efa_groups(groups)
        yield _drainers(stack, self.plan.resources, self.unknown)

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
