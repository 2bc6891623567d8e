"""Which Kubernetes nodes start with, where their group or their image says it, beside that of their cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster, versions_apart
from nodeworthy.facts.fleet.eksctl import EksctlGroup
from nodeworthy.known.node_images import kubernetes_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Located, Place

_MINOR = pattern(r"v?1\.(\d+)(?!\d)")


@dataclass(frozen=True)
class NodeVersion:
    called: ClassVar[str] = "nodes that start with a version of Kubernetes of their own"
    whole_stack: ClassVar[bool] = True

    title: str
    place: Place
    # As it is written, and where; and that of the cluster.
    nodes: Located[str]
    cluster: Located[str]


def minor_of(version: str) -> int | None:
    """33 of `1.33`, `v1.33.2` and `1.33.2-20250715`."""
    found = _MINOR.match(version)
    return int(found[1]) if found is not None else None


@derive
def versions_of_nodes(groups: Sequence[NodeGroup], asked: Sequence[EksctlGroup]) -> Iterator[NodeVersion]:
    for each in groups:
        said = each.cluster.get("version") if each.cluster is not None and not each.cluster.is_read else None
        yield from _versions(each.resource.title, _said_by(each), said)
    for group in asked:
        release = _written(group.tree.get("releaseVersion"))
        yield from _versions(f"node group '{group.name}'", release, group.document.get("metadata", "version"))


@derive
def versions_asked_for(nodes: AskedNodes, clusters: Sequence[SaidCluster]) -> Iterator[NodeVersion]:
    """Of nodes with GPUs that Cluster API, Crossplane or Azure's own controllers make. What GKE says of its control
    plane is the least that it may be."""
    told = versions_apart(nodes, clusters) if nodes.has_gpus and not nodes.is_of_gke else None
    if told is not None:
        yield NodeVersion(f"{nodes.noun} '{nodes.name}'", told[0].place, *told)


def _versions(title: str, said: Sequence[Located[str]], cluster: Tree | None) -> Iterator[NodeVersion]:
    """The first of them, where the cluster says its own."""
    if cluster is not None and said and (cluster.text is not None or cluster.is_unknown):
        yield NodeVersion(title, said[0].place, said[0], cluster.located())


def _written(*said: Tree) -> list[Located[str]]:
    return [each.located() for each in said if minor_of(each.text or "") is not None]


def _said_by(nodes: NodeGroup) -> list[Located[str]]:
    """Of a managed group what it says itself; an image that is chosen has the word before it."""
    image = image_of(nodes)
    named = kubernetes_of(image.named) if image is not None and image.distribution is not None else None
    of_image = [Located.known(named, image.place)] if image is not None and named is not None else []
    own = _written(nodes.groups("releaseVersion"), nodes.groups("version")) if nodes.is_managed else []
    return [*of_image, *own]
