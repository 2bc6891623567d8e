"""The pools of GPU nodes that a stack makes and no fleet declares: by their images, and by how their scripts join.

What no image and no script decides is unknown, and never a default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_capacity import is_block, reservation
from nodeworthy.facts.aws.node_group import INSTANCES, NodeGroup, service_range
from nodeworthy.facts.aws.node_types import has_gpus, instance_types
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.pool_drivers import with_its_driver
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool, NodeImage
from nodeworthy.facts.fleet.machines import Machines, Reserved, labels_of_pool, number_of, text_of, texts_of
from nodeworthy.facts.fleet.node_taint import NodeTaint, taints_in
from nodeworthy.fleet.model import CapacityKind
from nodeworthy.known.containerd import Containerd, containerd_of
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Known, Located, NotKnown, Unknown, value_if_known

# EKS user guide, managed node groups: the label that has the name of the group.
_OF_GROUP = ("eks.amazonaws.com/nodegroup",)


@dataclass(frozen=True)
class Follows:
    """What nodes are, and the words that say so."""

    distribution: Located[str]
    evidence: str = ""


def pools_of_groups(groups: Sequence[NodeGroup], scripts: Sequence[BootScript]) -> list[GpuPool]:
    """A pool of each group that no fleet declares, and that has GPUs."""
    by_urn: dict[str, list[BootScript]] = {}
    for script in scripts:
        by_urn.setdefault(script.holder, []).append(script)
    found = [nodes for nodes in groups if nodes.pool is None and has_gpus(nodes).state == Known(True)]
    return [_pool(nodes, by_urn) for nodes in found]


def _pool(nodes: NodeGroup, by_urn: Mapping[str, Sequence[BootScript]]) -> GpuPool:
    own = by_urn.get(nodes.template.urn, ()) if nodes.template is not None else ()
    image, follows, resource = image_of(nodes), what_follows(nodes, own), nodes.resource
    pool = GpuPool(
        resource.name,
        nodes.place,
        follows.distribution,
        _runtime(follows.distribution, own),
        noun=resource.title.removesuffix(f" '{resource.name}'"),
        kubernetes=_version(nodes),
        cluster=_cluster(nodes),
        services=_services(nodes),
        machines=_machines(nodes),
        evidence=follows.evidence,
        scripts=tuple(own),
    )
    return with_its_driver(pool, False, own, [image] if image is not None else [])


def _runtime(distribution: Located[str], scripts: Sequence[BootScript]) -> Located[Containerd]:
    state = distribution.state
    if isinstance(state, Unknown):
        return Located(state, distribution.place)
    if len(scripts) == 1 and scripts[0].read is not None:
        from nodeworthy.facts.boot.shown_containerd import runtime_of

        return runtime_of(state.value, distribution.place, scripts[0])
    return Located.known(containerd_of(state.value), distribution.place)


def _by_how_they_join(nodes: NodeGroup) -> set[str]:
    """What reads scripts is imported only where they say it."""
    if not nodes.joins:
        return set()
    from nodeworthy.facts.boot.pools import DISTRIBUTIONS_BY_JOIN

    return {each for how in nodes.joins for each in DISTRIBUTIONS_BY_JOIN.get(how, ())}


def what_follows(nodes: NodeGroup, scripts: Sequence[BootScript] = ()) -> Follows:
    """The image has the word; on one that may be anybody's the script has it. `scripts` are what it boots with."""
    image = image_of(nodes)
    by_script = _by_how_they_join(nodes)
    if image is not None and image.distribution is not None:
        if by_script and image.distribution not in by_script:
            joins = _listed_ways(by_script)
            why = f"its image is of {image.distribution} ({image.named}), and its script joins as {joins}"
            return Follows(Located.unknown(why, image.place))
        return Follows(Located.known(image.distribution, image.place), image.named)
    if len(by_script) == 1 and nodes.template is not None:
        place = replace(nodes.template.place, subject="userData")
        return Follows(
            Located.known(by_script.pop(), place), f"its script joins with {_listed_ways(nodes.joins or ())}"
        )
    begun = _begun(scripts) if not by_script else None
    if begun is not None:
        return begun
    return Follows(Located.unknown(_why(nodes, image), image.place if image is not None else nodes.place))


def _begun(scripts: Sequence[BootScript]) -> Follows | None:
    """A machine that begins a cluster is a node of it."""
    if len(scripts) != 1:
        return None
    from nodeworthy.facts.boot.shown_containerd import cluster_begun

    try:
        found = cluster_begun(scripts[0])
    except NotKnown:
        return None
    return Follows(Located.known(*found), f"its script begins a cluster of {found[0]}") if found is not None else None


def _why(nodes: NodeGroup, image: NodeImage | None) -> str:
    no_script = "no script that could be read joins its nodes to a cluster"
    if image is None:
        return f"nothing names the image of {nodes.title}, and {no_script}"
    return f"what {nodes.title} runs does not follow from its image ({image.named}), and {no_script}"


def _listed_ways(ways: Sequence[str] | frozenset[str] | set[str]) -> str:
    return ", ".join(sorted(ways))


def _cluster(nodes: NodeGroup) -> Located[str] | None:
    """The name of the cluster, as a managed group says it, or the cluster itself."""
    said = nodes.groups("clusterName")
    if said.text is None and nodes.cluster is not None:
        said = nodes.cluster.get("name")
    return said.located() if said.text is not None else None


def _services(nodes: NodeGroup) -> Located[str] | None:
    return text_of(service_range(nodes)) if nodes.cluster is not None else None


def _machines(nodes: NodeGroup) -> Machines:
    types = tuple(each for each in instance_types(nodes) if _is_said(each))
    wanted, least, most = (_size(nodes, name) for name in ("desired", "min", "max"))
    if nodes.resource.type in INSTANCES:
        wanted = Located.known(1, nodes.place)
    return Machines(
        types,
        wanted=wanted,
        least=least,
        most=most,
        labels=_labels(nodes),
        given=labels_of_pool(_OF_GROUP, nodes.groups("nodeGroupName")) if nodes.is_managed else {},
        taints=_taints(nodes),
        reserved=_reserved(nodes),
    )


def _labels(nodes: NodeGroup) -> dict[str, Located[str]]:
    """The labels with which the nodes of EKS' managed groups register."""
    return texts_of(nodes.groups("labels")) if nodes.is_managed else {}


def _taints(nodes: NodeGroup) -> tuple[NodeTaint, ...]:
    return taints_in(nodes.groups("taints").sequence) if nodes.is_managed else ()


def _reserved(nodes: NodeGroup) -> Reserved | None:
    said = reservation(nodes)
    is_one = said.text is not None or said.is_unknown
    named = said.located() if is_one else None
    if is_block(nodes):
        place = named.place if named is not None else nodes.place
        return Reserved(Located.known(CapacityKind.BLOCK.value, place), named)
    return Reserved(Located.known(CapacityKind.RESERVATION.value, said.place), named) if is_one else None


def _is_said(said: Located[str | None]) -> TypeGuard[Located[str]]:
    return value_if_known(said) is not None


def _size(nodes: NodeGroup, which: str) -> Located[int] | None:
    of_scaling = nodes.groups("desiredCapacity" if which == "desired" else f"{which}Size")
    said = nodes.groups("scalingConfig", f"{which}Size") if nodes.is_managed else of_scaling
    return number_of(said)


def _made_beside(nodes: NodeGroup) -> AwsResource | None:
    """The group's cluster; where its name is not known yet, the only cluster that the same stack makes."""
    made = nodes.stack.of(CLUSTER)
    is_open = nodes.groups("clusterName").is_unknown and len(made) == 1
    return nodes.cluster or (made[0] if is_open else None)


def _version(nodes: NodeGroup) -> Located[str] | None:
    """The version of its cluster; else the one that a managed group names."""
    cluster = _made_beside(nodes)
    told = [cluster.get("version")] if cluster is not None else []
    told += [nodes.groups("version")] if nodes.is_managed else []
    return next((said.located() for said in told if said.text is not None), None)
