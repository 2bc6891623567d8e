"""AWS accepts a resource's inputs, as far as they are known.

A key that is misspelt inside a dictionary reaches AWS as nothing at all: the launch template is made, without the
option that somebody meant. A value that AWS does not know is refused, in the middle of an update, when half of the
stack is there. Keys and types are those of the provider, the values, lengths and patterns those of AWS's own models.
So is what is no range of addresses where one is wanted, and a group whose least, most and desired number of machines do
not go together.
EC2 starts no machine of another architecture than its image's, as far as the image's name or parameter says it, and
EKS makes no managed group whose image and whose machines have another architecture, none that says a version beside
an image of one's own, and none whose taints are written in Kubernetes' words (`NoSchedule`). Of a stack that is no
program of Pulumi's the kind of its groups' image, how they are paid for and their numbers are judged.
AWS ParallelCluster validates its configuration before it makes anything: names with capitals or underscores, a size
that FSx for Lustre does not have, one type beside subnets of several zones, and a key in another section are told here.
What is known only after deployment is left to AWS, and a value that another rule finds wrong is left to that rule: an
instance type that does not exist is told once, by `gpu-exists` where nodes are started of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_count import node_count, refused_size
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_types import written_types
from nodeworthy.facts.aws.security_group import CLUSTER, network_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.fleet.node_taint import EKS_WORDS
from nodeworthy.known import aws_models
from nodeworthy.known.aws_models import Model
from nodeworthy.known.instances import is_arm
from nodeworthy.known.node_images import is_image_for_arm
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Located, Related, Severity, Unknown, fail, skip

RULE = Rule(
    "aws-accepts",
    severity=Severity.ERROR,
    title="AWS accepts a resource's inputs, as far as they are known",
    remedy="write what AWS takes; the provider's documentation lists the keys and their values",
    gives_way=True,
    never_unknown="what is not known yet is AWS's to judge when it is; everything known is judged",
)

# What the engine adds to inputs, and what providers take beside their own.
_OUR_OWN = ("__", "region")
_SHOWN = 8
# Where a template or a machine names its image.
_IMAGES = ("imageId", "ami")
# Kubernetes' of a group, or of the image that EKS has for it.
_A_VERSION = pattern(r"\d+\.\d+")
# The models call it a text, whatever stands in it.
_A_RANGE = pattern(r"[cC]idr(?:Blocks?|Ipv[46])?(?:\[\d+\])?$")
_TYPES = {"string": "a text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}


@RULE.check
def its_inputs_fit_the_model(resource: AwsResource) -> Findings:
    model = aws_models.model_of(resource.type)
    if model is None:
        skip("no model of AWS is kept for this type of resource")
    if resource.is_read or resource.is_made:
        skip("it exists already, and AWS has accepted it")
    if resource.is_translated:
        skip("its keys are told in another language's words, whose own tools know which there are")
    name = resource.type.rsplit(":", 1)[-1]
    found = list(_structure(resource.inputs, model, name))
    yield from found
    size = refused_size(resource)
    if size is not None and not any(each.where == size.where for each in found):
        cause = "AWS takes min <= desired <= max, none of them below zero, and makes no group of anything else"
        yield replace(size, message=f"{name}.{size.message}", cause=cause)


@RULE.check
def its_group_fits_its_image(nodes: NodeGroup) -> Findings:
    if nodes.group is None:
        return  # nobody is asked to make one, and the template itself is judged above
    if not nodes.is_managed or nodes.group.is_read or nodes.group.is_made:
        skip("EKS makes no group of it")
    if nodes.group.is_translated and (told := [*_taints_in_other_words(nodes), *_in_no_list(nodes)]):
        yield from told
        return
    image = nodes.templates("imageId")
    if isinstance(image.value, Unknown) and not image.value.of:
        skip(f"whether {nodes.title} has an image of its own is not known")
    if image.is_unknown or image.text:
        yield from _says_a_version(nodes)
    else:
        yield from _has_another_architecture(nodes)


@RULE.check
def its_machines_fit_their_image(nodes: NodeGroup) -> Findings:
    image = image_of(nodes) if any(nodes.templates(each).text for each in _IMAGES) else None
    is_for_arm = is_image_for_arm(image.named) if image is not None else None
    types = [(each, is_arm(each.shown())) for each in written_types(nodes) if isinstance(each.state, Known)]
    if image is None or is_for_arm is None or all(of_arm is None for _, of_arm in types):
        skip("of its image or of its machines nothing says which architecture they have")
    for each in (each for each, of_arm in types if of_arm not in (None, is_for_arm)):
        has, wants = ("x86_64's", "Arm") if is_for_arm else ("Arm's", "x86_64")
        yield fail(
            each,
            f"{each.shown()} has {has} cores, and the image of {nodes.title} is for {wants}",
            should=f"a type for {image.named}",
            related=[Related(image.place, f"it boots this image: {image.named}")],
            cause="EC2 refuses to start it: the architecture of the instance type does not match that of the AMI",
            remedy="name an image for the machine's architecture, or a machine of the image's",
        )


def _taints_in_other_words(nodes: NodeGroup) -> Findings:
    """Where the inputs are the provider's own, its model has judged them above."""
    for each in nodes.groups("taints").sequence:
        effect = each.get("effect")
        meant = EKS_WORDS.get(effect.string)
        if meant is not None:
            yield fail(
                effect,
                f"a taint of {nodes.title} is written as Kubernetes writes it",
                is_=effect.located().shown(),
                should=meant,
                cause="EKS has words of its own for what a taint does, and refuses a group with any other",
                remedy=f"write {meant}",
            )


# What a group of EKS' is said by words of which there is a list: what it boots, and how it is paid for.
_IN_LISTS = {
    "amiType": ("AMITypes", "the kind of its image, which EKS does not know"),
    "capacityType": ("CapacityTypes", "how its machines are paid for, which EKS does not know"),
}


# What is looked up stands as its address until it is, also where only a condition asks for it.
_IS_LOOKED_UP = "data.aws_"


def _in_no_list(nodes: NodeGroup) -> Findings:
    for name, (words, of) in _IN_LISTS.items():
        said = nodes.groups(name)
        known = aws_models.values(words) if said.text else ()
        if said.is_unknown or not said.text or said.text in known or _IS_LOOKED_UP in said.text:
            continue
        is_an_id = name == "amiType" and not said.text.isidentifier()
        yield fail(
            said,
            f"{nodes.title} says {said.text} of {of}",
            is_=said.text,
            should="the kind of an image" if is_an_id else _nearest(said.text, known),
            cause=f"EKS refuses the group: {name} is one of the {len(known)} words that AWS knows "
            f"({aws_models.version()})",
            remedy="name an image of your own in the launch template (the module's ami_id), and a script that joins"
            if is_an_id
            else f"write one of these words as {name}",
        )


@RULE.check
def its_numbers_go_together(nodes: NodeGroup) -> Findings:
    if nodes.group is None or nodes.group.is_read or nodes.group.is_made:
        skip("nobody is asked to make a group")
    if not nodes.group.is_translated:
        skip("the numbers of the provider's own inputs are judged with all of them")
    count = node_count(nodes)
    least, most, wanted = (_number_of(each) for each in (count.min, count.max, count.desired))
    who = "EKS" if nodes.is_managed else "AWS"
    cause = f"{who} takes min <= desired <= max, and makes no group of anything else"
    if nodes.is_managed and most is not None and most < 1:
        cause = "EKS takes no group that may have no node at all: its most is 1, or more"
        yield fail(count.max, f"{nodes.title} may have {most} nodes at most", should="1, or more", cause=cause)
    elif least is not None and most is not None and least > most:
        told = f"{nodes.title} has at least {least} nodes, and at most {most}"
        yield fail(count.min, told, should=f"at most {most}", cause=cause)
    elif wanted is not None and least is not None and wanted < least:
        told = f"{nodes.title} is to have {wanted} nodes, and at least {least}"
        yield fail(count.desired, told, is_=str(wanted), should=f"at least {least}", cause=cause)
    elif wanted is not None and most is not None and wanted > most:
        told = f"{nodes.title} is to have {wanted} nodes, and at most {most}"
        yield fail(count.desired, told, is_=str(wanted), should=f"at most {most}", cause=cause)


def _number_of(said: Located[int | None]) -> int | None:
    return said.state.value if isinstance(said.state, Known) else None


def _says_a_version(nodes: NodeGroup) -> Findings:
    """A version that may not be written here; that of the group's cluster is one, too, though it is known later."""
    for name in ("version", "releaseVersion"):
        said = nodes.groups(name)
        if _A_VERSION.match(said.string) or _is_of_a_cluster(said, nodes):
            yield fail(
                said,
                f"{nodes.title} says a version beside an image of its own",
                is_=said.located().shown(),
                should="nothing",
                cause="its launch template names the image, which has the version in it: EKS refuses the group",
                remedy="leave the version out, or leave the image to EKS: none in the launch template",
            )


def _is_of_a_cluster(said: Tree, nodes: NodeGroup) -> bool:
    of = nodes.stack.by_urn.get(said.value.of) if isinstance(said.value, Unknown) else None
    return of is not None and of.type == CLUSTER


# What EKS takes where nobody says it.
_DEFAULT_IMAGE = "AL2023_x86_64_STANDARD"


def _has_another_architecture(nodes: NodeGroup) -> Findings:
    if nodes.has_fitting_image:
        return
    kind = nodes.groups("amiType")
    if kind.is_unknown or kind.text == "CUSTOM":
        skip(f"for which processors the image of {nodes.title} is, is not known")
    wants_arm = "ARM_64" in (kind.text or _DEFAULT_IMAGE)
    cores, image, other = ("x86_64's", "Arm", "x86_64") if wants_arm else ("Arm's", "x86_64", "Arm")
    for each in written_types(nodes):
        if not isinstance(each.state, Known) or is_arm(str(each.state.value)) in (None, wants_arm):
            continue
        yield fail(
            each,
            f"{each.state.value} has {cores} cores, and its group's image is for {image}",
            should=f"a type for {kind.text or f'{_DEFAULT_IMAGE}, which EKS takes where none is said'}",
            cause="EKS refuses the group: the type is not a valid one for the amiType",
            remedy=f"give it an image for {other} (its amiType), or machines of the image's architecture",
        )


def _value(tree: Tree, model: Model, name: str) -> Iterator[Draft]:
    if tree.is_unknown or tree.says_nothing:
        return
    kind = model["type"]
    if kind == "structure":
        yield from _structure(tree, model, name) if tree.is_mapping else _of_another_type(tree, name, "a mapping")
    elif kind == "list":
        if not tree.is_sequence:
            yield from _of_another_type(tree, name, "a list")
        for index, each in enumerate(tree.sequence):
            yield from _value(each, model["of"], f"{name}[{index}]")
    elif kind == "map":
        if not tree.is_mapping:
            yield from _of_another_type(tree, name, "a mapping")
        for key, each in tree.mapping.items():
            yield from _value(each, model["of"], f"{name}.{key}")
    elif kind != "any":
        yield from _scalar(tree, model, name)


def _structure(tree: Tree, model: Model, name: str) -> Iterator[Draft]:
    properties = model["properties"]
    for key, each in tree.mapping.items():
        if key in properties:
            yield from _value(each, properties[key], f"{name}.{key}")
        elif not key.startswith(_OUR_OWN):
            yield _unknown_key(each, key, name, properties)
    for key in model.get("required", ()):
        if tree.get(key).is_absent:
            yield fail(tree.get(key), f"{name} has no {key}, which is required", is_="nothing", should=key)


def _unknown_key(tree: Tree, key: str, name: str, properties: Model) -> Draft:
    from difflib import get_close_matches

    near = next(iter(get_close_matches(_camel(key), properties, 1, 0.6)), None)
    return fail(
        tree,
        f"{name} has no key {key}: it reaches AWS as nothing",
        is_=key,
        should=near or f"one of {_some(sorted(properties))}",
        cause="the provider drops what it does not know, and whatever was meant here does not happen",
        remedy=f"name it {near}" if near else f"leave {key} out",
    )


def _camel(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(each.capitalize() for each in others)


def _scalar(tree: Tree, model: Model, name: str) -> Iterator[Draft]:
    value = _as(model["type"], tree)
    if value is None:
        yield from _of_another_type(tree, name, _TYPES[model["type"]])
    elif isinstance(value, str):
        yield from _text(tree, value, model, name)
    else:
        yield from _number(tree, value, model, name)


def _as(kind: str, tree: Tree) -> str | float | bool | None:
    """The value as the provider takes it, which reads a number or a flag from a text as well."""
    value = tree.value
    if kind == "string":
        return str(value).lower() if isinstance(value, bool) else str(value) if _is_scalar(value) else None
    if kind == "boolean":
        known = {"true": True, "false": False, "1": True, "0": False}
        return value if isinstance(value, bool) else known.get(str(value).lower())
    if isinstance(value, bool) or not _is_scalar(value):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except ValueError:
        return None
    return None if kind == "integer" and not number.is_integer() else number


def _is_scalar(value: object) -> bool:
    return isinstance(value, (str, int, float))


def _text(tree: Tree, value: str, model: Model, name: str) -> Iterator[Draft]:
    if not value:
        return  # the provider takes an empty text for one that was not given
    if "enum" in model:
        allowed = aws_models.values(model["enum"])
        if value not in allowed:
            told = f"{name} is none of the values that AWS knows ({aws_models.version()})"
            yield fail(tree.located(), told, should=_nearest(value, allowed))
    if not model.get("min", 0) <= len(value) <= model.get("max", len(value)):
        told = f"{len(value)} characters long, and AWS takes {_between(model)}"
        yield fail(tree, f"{name} is {told}", is_=_cut(value, tree), should=f"{_between(model)} characters")
    elif "pattern" in model and not aws_models.pattern(model["pattern"]).fullmatch(value):
        yield fail(
            tree,
            f"{name} is no text that AWS takes here",
            is_=_cut(value, tree),
            should=f"a text like {model['pattern']}",
        )
    elif _A_RANGE.search(name) and ("/" not in value or network_of(value) is None):
        yield fail(tree, f"{name} is no range of addresses", is_=_cut(value, tree), should="a range like 10.0.0.0/16")


def _nearest(value: str, allowed: Collection[str]) -> str:
    from difflib import get_close_matches

    # What has a GPU is called so in the names of AL2's images alone.
    family, _, kind = value.partition("_")
    alike = [each for each in allowed if each.partition("_")[0] == family]
    meant = f"{family}_{kind.replace('GPU', 'NVIDIA')}" if alike else value
    near = next(iter(get_close_matches(meant, alike or allowed, 1)), None)
    return f"{near}, perhaps" if near and len(allowed) > _SHOWN else _some(sorted(allowed))


def _number(tree: Tree, value: float | bool, model: Model, name: str) -> Iterator[Draft]:
    if not model.get("min", value) <= value <= model.get("max", value):
        yield fail(tree.located(), f"{name} is outside of what AWS takes", should=_between(model))


def _between(model: Model) -> str:
    if "min" in model and "max" in model:
        return f"{model['min']} to {model['max']}"
    return f"at least {model['min']}" if "min" in model else f"at most {model['max']}"


def _of_another_type(tree: Tree, name: str, wanted: str) -> Iterator[Draft]:
    is_ = tree.kind() if tree.is_mapping or tree.is_sequence else f"{tree.located().shown()} ({tree.kind()})"
    yield fail(tree, f"{name} is {tree.kind()}, and AWS takes {wanted}", is_=is_, should=wanted)


def _cut(value: str, tree: Tree) -> str:
    if tree.secret:
        return "(secret)"
    return value if len(value) <= 80 else f"{value[:60]}…"


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" … ({len(names)} of them)" if len(names) > _SHOWN else "")
