"""What a root of Terraform, or a plan of one, makes in AWS: its resources as a stack, with the scripts that they boot.

Also the pools of GPU nodes that it asks of other clouds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.aws.user_data import USER_DATA, is_for_windows, scripts_of
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.node_drainer import Handler
from nodeworthy.facts.aws.stack import AskedImage, AwsResource, AwsStack
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.root import Module
from nodeworthy.hcl.trees import document, tree
from nodeworthy.hcl.values import BLOCK, Hole, Obj, Refusal, Seq, Str, Value, Waits, is_null
from nodeworthy.known.aws_models import Model, model_of
from nodeworthy.known.terraform import CLOUDS, is_one, name_of, types
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.hosted_pools import HostedResource

_AWS = "aws_"
# Hands on to Azure's own API what nobody else's resource says.
BY_API = "azapi_resource"
_PARAMETER, _IMAGES = "aws_ssm_parameter", ("aws_ami", "aws_ami_ids")
# A regular expression that says no more than a name with * does.
_PLAIN = pattern(r"\^?((?:[\w/-]|\\\.|\.\*|\.)+)\$?")
_ARGUMENTS = {"userData": "user_data", "userDataBase64": "user_data_base64"}
_LAYERS = {"base64": ("base64",), "gzip": ("base64", "gzip")}


def stack_in(module: Module, handlers: Sequence[Handler], around: Surroundings | None) -> Stack | None:
    """The AWS stack of a root; None where it starts no node."""
    instances = [each for each in module.possibly() if each.type.startswith(_AWS)]
    images = dict(_asked_images(each for each in instances if each.is_data))
    made = [each for each in instances if not each.is_data]
    stack = stack_of(Place(module.root.disk.shown(module.folder)), made, images, handlers, around)
    return stack if stack.starts_nodes else None


def stack_of(
    place: Place,
    made: Sequence[Instance],
    images: Mapping[str, AskedImage],
    handlers: Sequence[Handler],
    around: Surroundings | None,
) -> Stack:
    by_urn = {each.address: each for each in made}
    resources = [_resource(each, images) for each in made]
    stack = AwsStack(place, resources, images)
    return Stack(stack, lambda one: _scripts(one, by_urn[one.urn], around), handlers)


# Other clouds


def pools_of_other_clouds(instances: Iterable[Instance | Hole]) -> list[GpuPool]:
    asked = [each for each in instances if isinstance(each, Instance) and not each.is_data]
    theirs = [each for each in asked if each.type.startswith(CLOUDS)]
    if not theirs:
        return []
    from nodeworthy.facts.fleet.hosted_elsewhere import pools_elsewhere
    from nodeworthy.facts.fleet.hosted_pools import HostedResource, hosted_pools

    found = [HostedResource(each.type, each.name, each.place, tree(each.values)) for each in theirs]
    found += (one for each in theirs if each.type == BY_API and (one := _by_azures_api(each)) is not None)
    return [*hosted_pools(found), *pools_elsewhere(found)]


def _by_azures_api(instance: Instance) -> HostedResource | None:
    """What a provider hands on to Azure as it stands; its body is a text in older versions."""
    from nodeworthy.facts.fleet.hosted_objects import resource_by_azures_api

    said, body = tree(instance.values), instance.values.items.get("body")
    if isinstance(body, Str):
        try:
            body = document(body, instance.module.scope(instance.block.file, instance.names))
        except (Waits, Refusal):
            return None
    if not isinstance(body, Obj):
        return None
    return resource_by_azures_api(said.get("type").string, instance.name, instance.place, said.get("name"), tree(body))


# Images


def _asked_images(sources: Iterator[Instance]) -> Iterator[tuple[str, AskedImage]]:
    """The images that are looked up, by the address that stands for the image's id."""
    for each in sources:
        if each.type != _PARAMETER and each.type not in _IMAGES:
            continue
        said = each.values.items
        if each.type == _PARAMETER and isinstance(name := said.get("name"), Str) and name.known:
            yield each.address, AskedImage(name.known)
        elif each.type in _IMAGES and (named := _filtered(said) or _by_expression(said)):
            owners = said.get("owners")
            told = [one.known for one in owners.items if isinstance(one, Str)] if isinstance(owners, Seq) else []
            yield each.address, AskedImage(named, frozenset(one for one in told if one))


def _filtered(said: Mapping[str, Value]) -> str:
    filters = said.get("filter")
    for each in filters.items if isinstance(filters, Seq) else ():
        entry = tree(each)
        if entry.get("name").text == "name" and len(entry.get("values").sequence) == 1:
            return entry.get("values").sequence[0].string
    return ""


def _by_expression(said: Mapping[str, Value]) -> str:
    """A name_regex as a filter would have it."""
    expression = said.get("name_regex")
    found = _PLAIN.fullmatch(expression.known or "") if isinstance(expression, Str) else None
    return found[1].replace(".*", "*").replace("\\.", ".") if found is not None else ""


# Resources


def _resource(instance: Instance, images: Mapping[str, AskedImage]) -> AwsResource:
    kind = types().get(instance.type, instance.type)
    return AwsResource(
        kind,
        instance.title,
        instance.address,
        instance.place,
        lambda: _without_computed(in_pulumis_words(instance.values, images), model_of(kind)),
        dependencies=_Dependencies(instance),
        outputs=_Outputs(instance),
        is_translated=True,
    )


class _Dependencies(Mapping[str, Sequence[str]]):
    """What each property of a resource was made of, worked out on demand: nobody asks about most resources of a
    root."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    @cached_property
    def _found(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, Sequence[str]] = {}
        for name, each in self._instance.values.items.items():
            if named := tuple(dict.fromkeys(hole.of for hole in holes(each) if hole.of)):
                found[name_of(name)] = named
        return found

    def __getitem__(self, name: str) -> Sequence[str]:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class _Outputs(Mapping[str, object]):
    """What of it others may name, as far as that is known: a plan knows it of what is there."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    def __getitem__(self, name: str) -> object:
        said = self._instance.values.items.get(name) if name in ("id", "arn") else None
        if not isinstance(said, Str):
            raise KeyError(name)
        return said.known

    def __iter__(self) -> Iterator[str]:
        return (each for each in ("id", "arn") if each in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def holes(value: Value) -> Iterator[Hole]:
    if isinstance(value, Hole):
        yield value
    elif isinstance(value, Str):
        yield from (each for each in value.pieces if isinstance(each, Hole))
    elif isinstance(value, (Seq, Obj)):
        for each in value.items if isinstance(value, Seq) else value.items.values():
            yield from holes(each)


def in_pulumis_words(value: Value, images: Mapping[str, AskedImage]) -> Tree:
    """The value as a plan of Pulumi's has it. An image's id is told by where it is looked up."""
    if isinstance(value, Hole) and value.of in images:
        return Tree(value.of, value.spot.place)
    if isinstance(value, Obj) and value.kind == BLOCK:
        said = [(name, each) for name, each in value.items.items() if not _is_nothing(name, each)]
        made = {name_of(name): _of_block(name, each, images) for name, each in said}
        return Tree(made, value.spot.place)
    if isinstance(value, Seq):
        return Tree([in_pulumis_words(each, images) for each in value.items], value.spot.place)
    return tree(value)


def _is_nothing(name: str, value: Value) -> bool:
    """Whether the provider takes it as absent: null is an argument that nobody wrote, and so is an empty list of
    blocks."""
    return is_null(value) or (is_one(name) and isinstance(value, Seq) and not value.items)


def _of_block(name: str, value: Value, images: Mapping[str, AskedImage]) -> Tree:
    if is_one(name) and isinstance(value, Seq) and len(value.items) == 1:
        return in_pulumis_words(value.items[0], images)
    return in_pulumis_words(value, images)


def _without_computed(tree: Tree, model: Model | None) -> Tree:
    """The tree without what the provider computes itself: a plan has that beside what somebody wrote."""
    if model is None:
        return tree
    if tree.is_mapping and model["type"] == "structure":
        known = model["properties"]
        kept = {name: _without_computed(each, known[name]) for name, each in tree.mapping.items() if name in known}
        return Tree(kept, tree.place, tree.key, tree.secret)
    if tree.is_sequence and model["type"] == "list":
        return Tree([_without_computed(each, model["of"]) for each in tree.sequence], tree.place, tree.key, tree.secret)
    return tree


# Boot scripts


def _scripts(resource: AwsResource, instance: Instance, around: Surroundings | None) -> Sequence[BootScript]:
    """Each line where it is written; of what is not known, what is said about it."""
    properties = USER_DATA.get(resource.type, {})
    if all(_is_empty(instance.values.items.get(_ARGUMENTS[name])) for name in properties):
        return []
    from nodeworthy.collect.aws.filled_in import script_of

    found: list[BootScript] = []
    for name, encoded in properties.items():
        made = _text_in(instance.values.items.get(_ARGUMENTS[name]), encoded=encoded)
        if made is not None and not is_for_windows(made[0].shown):
            found.append(script_of(made[0], around, made[1]))
        elif made is not None:
            return found
    return found or [replace(each, of_an_object=True) for each in scripts_of(resource)]


def _is_empty(said: Value | None) -> bool:
    """An empty text is what the provider takes for none."""
    if said is None or is_null(said):
        return True
    text = said.packs[1] if isinstance(said, Str) and said.packs is not None else said
    return isinstance(text, Str) and text.known == ""


def _text_in(said: Value | None, *, encoded: bool) -> tuple[Str, Sequence[str]] | None:
    """The text, and what it is packed with. A machine's user data is packed by the provider, unless it is already."""
    if not isinstance(said, Str):
        return None
    if said.packs is not None:
        return said.packs[1], _LAYERS[said.packs[0]]
    is_of_parts = not encoded and (said.known is None or any(each.spot.file.text for each in said.pieces))
    return (said, ()) if is_of_parts else None
