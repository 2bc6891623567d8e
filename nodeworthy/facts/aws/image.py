"""The machine image of a group of nodes, as its launch template or EKS' own list names it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.stack import AskedImage
from nodeworthy.facts.fleet.gpu_pool import NodeImage
from nodeworthy.known.node_images import ImageSign, image_by_name, image_by_parameter, image_by_type
from nodeworthy.verdict import Place, Unknown


def image_of(nodes: NodeGroup) -> NodeImage | None:
    """None where nothing names one: an id, a parameter or a type."""
    for name in ("imageId", "ami"):
        said = nodes.templates(name)
        if said.says_nothing:
            continue
        if said.text is None:
            why = said.value.why if isinstance(said.value, Unknown) else said.kind()
            return NodeImage(said.place, why, None)
        asked = nodes.stack.images.get(said.text)
        sign = image_by_parameter(said.text) or (_asked_for(asked) if asked is not None else None)
        named = asked.named if asked is not None else said.text
        return _image(said.place, named, sign)
    return _of_eks(nodes)


def _asked_for(asked: AskedImage) -> ImageSign | None:
    return image_by_parameter(asked.named) or image_by_name(asked.named, asked.owners)


def _of_eks(nodes: NodeGroup) -> NodeImage | None:
    """A managed node group takes an image of EKS' own."""
    if not nodes.is_managed:
        return None
    kind = nodes.groups("amiType")
    if isinstance(kind.value, Unknown):
        return NodeImage(kind.place, f"its amiType is not known: {kind.value.why}", None)
    if kind.text is None:
        return NodeImage(kind.place, "no amiType, and EKS chooses", None)
    return _image(kind.place, kind.text, image_by_type(kind.text))


def _image(place: Place, named: str, sign: ImageSign | None) -> NodeImage:
    return NodeImage(place, named, None) if sign is None else NodeImage(place, named, sign.driver, sign.distribution)


def images_of(groups: Iterable[NodeGroup]) -> Mapping[str, Sequence[NodeImage]]:
    """The images by the names of their pools."""
    found: dict[str, list[NodeImage]] = defaultdict(list)
    for each in groups:
        image = image_of(each)
        if each.pool is not None and image is not None:
            found[each.pool.name].append(image)
    return found


def labels_of(groups: Iterable[NodeGroup]) -> Mapping[str, Sequence[Mapping[str, str]]]:
    """The labels that EKS gives the nodes of each group, by the name of their pool."""
    found: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for each in groups:
        if each.pool is not None and each.is_managed:
            told = each.groups("labels").mapping.items()
            found[each.pool.name].append({name: value.text for name, value in told if value.text is not None})
    return found
