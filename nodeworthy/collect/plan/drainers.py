"""Termination handlers in a plan: a release of the chart, or the manifests that it would make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.collect.plan.plan import Resource
from nodeworthy.collect.plan.planted import Planter
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, NodeDrainers, is_handler, variables
from nodeworthy.facts.aws.stack import AwsStack

_HELM = "kubernetes:helm.sh/"
_WORKLOADS = ("kubernetes:apps/v1:DaemonSet", "kubernetes:apps/v1:Deployment")
_FILES = "its settings may stand in a file that is not read here"


def drainers(stack: AwsStack, resources: Sequence[Resource], unknown: str) -> NodeDrainers:
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
