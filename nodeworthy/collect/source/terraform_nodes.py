"""The GPU nodes that a root of Terraform starts: its resources as a stack of AWS, and what its modules are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_group import MANAGED, node_groups
from nodeworthy.facts.aws.pools_by_evidence import pools_by_evidence
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.hcl.evaluate import TooMuch, quietly
from nodeworthy.hcl.root import Instance, Module
from nodeworthy.hcl.syntax import Block, Literal
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import BLOCK, Hole, Obj, Seq, Str, Value
from nodeworthy.known.terraform import is_one, name_of, types
from nodeworthy.verdict import Place

_PARAMETER, _IMAGE = "aws_ssm_parameter", "aws_ami"
# Of the module that most roots have their cluster from: what it makes of each entry is one managed group.
_EKS_MODULE = "terraform-aws-modules/eks/aws"
_GROUPS, _DEFAULTS = "eks_managed_node_groups", "eks_managed_node_group_defaults"


def gpu_pools(module: Module, values: Sequence[OperatorValues]) -> list[GpuPool]:
    try:
        found = list(module.everything({*types(), _PARAMETER, _IMAGE}))
        instances = [each for each in found if isinstance(each, Instance)]
        images = dict(_images(each for each in instances if each.is_data))
        planned = [each for each in instances if not each.is_data and each.type in types()]
        resources = [*(_resource(each, images) for each in planned), *_of_modules(module)]
    except TooMuch:
        return []
    stack = AwsStack(Place(module.folder), resources, images)
    return pools_by_evidence(list(node_groups(stack)), [], values)


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
    planned = _planned(instance.values, images)
    return AwsResource(types()[instance.type], instance.address, instance.address, instance.place, lambda: planned)


def _planned(value: Value, images: Mapping[str, AskedImage]) -> Tree:
    """As a plan of Pulumi's has it. What is looked up is an image's id by where it is looked up."""
    if isinstance(value, Hole) and value.of in images:
        return Tree(value.of, value.spot.place)
    if isinstance(value, Obj) and value.kind == BLOCK:
        names = value.items.items()
        made = {name_of(name): _of_block(name, each, images) for name, each in names}
        return Tree(made, value.spot.place)
    if isinstance(value, Seq):
        return Tree([_planned(each, images) for each in value.items], value.spot.place)
    return tree(value)


def _of_block(name: str, value: Value, images: Mapping[str, AskedImage]) -> Tree:
    if is_one(name) and isinstance(value, Seq) and len(value.items) == 1:
        return _planned(value.items[0], images)
    return _planned(value, images)


# Modules of registries


def _of_modules(module: Module) -> Iterator[AwsResource]:
    for block in module.blocks:
        if block.kind == "module" and block.labels and _source(block) == _EKS_MODULE:
            yield from _managed(module, block)


def _source(block: Block) -> str | None:
    said = block.body.settings.get("source")
    found = said.expression.value if said is not None and isinstance(said.expression, Literal) else None
    return found if isinstance(found, str) else None


def _managed(module: Module, block: Block) -> Iterator[AwsResource]:
    """What is not said of a group depends on the module's version, and is not known."""
    settings, scope = block.body.settings, module.scope(block.file)
    if _GROUPS not in settings:
        return
    groups = quietly(settings[_GROUPS].expression, scope)
    defaults = quietly(settings[_DEFAULTS].expression, scope) if _DEFAULTS in settings else None
    if not isinstance(groups, Obj):
        return
    for name, each in groups.items.items():
        address = f'{module.prefix}module.{block.labels[0]}["{name}"]'
        yield AwsResource(MANAGED, name, address, groups.key_spot(name).place, partial(_group, each, defaults))


def _group(said: Value, defaults: Value | None) -> Tree:
    under = defaults.items if isinstance(defaults, Obj) else {}
    items = {**under, **said.items} if isinstance(said, Obj) else {}
    made = {name: items[argument] for argument, name in _ARGUMENTS.items() if argument in items}
    if isinstance(defaults, Hole):
        made = {**dict.fromkeys(_ARGUMENTS.values(), defaults), **made}
    return Tree({name: tree(each) for name, each in made.items()}, said.spot.place)


_ARGUMENTS = {"ami_type": "amiType", "instance_types": "instanceTypes", "labels": "labels", "ami_id": "imageId"}
