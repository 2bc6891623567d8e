"""The AWS resources of a plan as one stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.aws.user_data import scripts_of
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, is_handler, variables
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
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
    return HANDLER in container.get("image").string


_PREFIX = "aws:"


def stack_of(plan: PreviewedPlan, made: StandIns | None, unknown: str) -> Stack | None:
    """None where the program makes nothing of AWS."""
    planned = [each for each in plan.resources if each.type.startswith(_PREFIX)]
    if not planned:
        return None
    place = Place(subject=f"stack {plan.stack}")
    resources = [_resource(each, made, unknown) for each in planned]
    handlers = [each for resource in plan.resources for each in _handlers(resource, unknown)]
    stands_for = made.origin if made is not None else None
    return Stack(
        AwsStack(place, resources, dict(_asked_images(plan.asked))),
        lambda resource: scripts_of(resource, stands_for),
        handlers,
    )


def _resource(planned: Resource, made: StandIns | None, unknown: str) -> AwsResource:
    planter = Planter(planned.place, made, unknown, planned.property_dependencies)
    return AwsResource(
        planned.type,
        planned.name,
        planned.urn,
        planned.place,
        lambda: planter.tree(dict(planned.inputs)),
        planned.property_dependencies,
        {"id": planned.options.get("id"), **planned.outputs} if planned.read else planned.outputs,
        is_read=planned.read,
        ignored=frozenset(planned.options.get("ignoreChanges", ())),
    )
