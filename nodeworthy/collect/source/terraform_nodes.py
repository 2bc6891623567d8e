"""The GPU nodes that a root of Terraform starts: its resources as a stack of AWS, those of its modules among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import node_groups
from nodeworthy.facts.aws.pools_by_evidence import pools_by_evidence
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.fleet.hosted_pools import HOSTED, HostedResource, hosted_pools
from nodeworthy.facts.fleet.pools_by_evidence import settle_drivers
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.hcl.evaluate import TooMuch
from nodeworthy.hcl.root import Instance, Module
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import BLOCK, Hole, Obj, Seq, Str, Value
from nodeworthy.known.terraform import is_one, name_of, types
from nodeworthy.verdict import Place

_PARAMETER, _IMAGE = "aws_ssm_parameter", "aws_ami"


def gpu_pools(module: Module, values: Sequence[OperatorValues]) -> list[GpuPool]:
    try:
        found = list(module.everything({*types(), _PARAMETER, _IMAGE, *HOSTED}))
        instances = [each for each in found if isinstance(each, Instance)]
        images = dict(_images(each for each in instances if each.is_data))
        planned = [each for each in instances if not each.is_data and each.type in types()]
        resources = [_resource(each, images) for each in planned]
        hosted = [_hosted(each) for each in instances if not each.is_data and each.type in HOSTED]
    except TooMuch:
        return []
    stack = AwsStack(Place(module.folder), resources, images)
    pools = pools_by_evidence(list(node_groups(stack)), [], values)
    return settle_drivers([*pools, *hosted_pools(hosted)], values) if hosted else pools


def _hosted(instance: Instance) -> HostedResource:
    return HostedResource(instance.type, instance.name, instance.place, tree(instance.values))


def _images(sources: Iterator[Instance]) -> Iterator[tuple[str, AskedImage]]:
    """By the address of who looks them up: that is what stands for the image's id."""
    for each in sources:
        said = each.values.items
        if each.type == _PARAMETER and isinstance(name := said.get("name"), Str) and name.known:
            yield each.address, AskedImage(name.known)
        elif each.type == _IMAGE and (named := _filtered(said)):
            owners = said.get("owners")
            told = [one.known for one in owners.items if isinstance(one, Str)] if isinstance(owners, Seq) else []
            yield each.address, AskedImage(named, frozenset(one for one in told if one))


def _filtered(said: Mapping[str, Value]) -> str:
    filters = said.get("filter")
    for each in filters.items if isinstance(filters, Seq) else ():
        entry = tree(each)
        if entry.get("name").text == "name" and len(entry.get("values").sequence) == 1:
            return entry.get("values").sequence[0].text or ""
    return ""


def _resource(instance: Instance, images: Mapping[str, AskedImage]) -> AwsResource:
    planned = in_pulumis_words(instance.values, images)
    return AwsResource(types()[instance.type], instance.title, instance.address, instance.place, lambda: planned)


def in_pulumis_words(value: Value, images: Mapping[str, AskedImage]) -> Tree:
    """As a plan of Pulumi's has it. What is looked up is an image's id by where it is looked up."""
    if isinstance(value, Hole) and value.of in images:
        return Tree(value.of, value.spot.place)
    if isinstance(value, Obj) and value.kind == BLOCK:
        names = value.items.items()
        made = {name_of(name): _of_block(name, each, images) for name, each in names}
        return Tree(made, value.spot.place)
    if isinstance(value, Seq):
        return Tree([in_pulumis_words(each, images) for each in value.items], value.spot.place)
    return tree(value)


def _of_block(name: str, value: Value, images: Mapping[str, AskedImage]) -> Tree:
    if is_one(name) and isinstance(value, Seq) and len(value.items) == 1:
        return in_pulumis_words(value.items[0], images)
    return in_pulumis_words(value, images)
