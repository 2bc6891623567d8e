"""The operating system of EKS nodes and the cluster's version, as the fleet declares or a plan makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.aws.image import image_of
from nodeworthy.facts.aws.node_group import MANAGED, NodeGroup
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster, of_its_cluster
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.os import EKS, os_of
from nodeworthy.known.node_images import named_by_parameter, named_by_type
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown, need


@dataclass(frozen=True)
class PoolSystem:
    called: ClassVar[str] = "a pool of EKS nodes"

    title: str
    place: Place
    os: Located[str]
    kubernetes: Located[str]
    # By which word it is set there.
    setting: str = "os"
    # One parameter names both, whatever the cluster is.
    is_named_whole: bool = False


def pool_systems(fleet: Fleet) -> Iterator[PoolSystem]:
    """Of the pools that EKS' own images are for, as far as that is known."""
    for pool in fleet.pools:
        distribution = pool.distribution.state
        if isinstance(distribution, Unknown) or distribution.value in EKS:
            yield PoolSystem(f"pool '{pool.name}'", pool.place, pool.os, fleet.cluster.version)


@derive
def asked_systems(nodes: AskedNodes, clusters: Sequence[SaidCluster] | None) -> Iterator[PoolSystem]:
    """Of groups of eksctl, Cluster API, Crossplane: they ask for an image of their family, of the cluster's version."""
    nodes, state = of_its_cluster(nodes, clusters or ()), nodes.distribution.state
    if nodes.kubernetes is not None and isinstance(state, Known) and state.value in EKS:
        place = nodes.distribution.place
        os: Located[str] = Located.known(nodes.os, place) if nodes.os else os_of(state.value, place)
        yield PoolSystem(f"{nodes.noun} '{nodes.name}'", nodes.distribution.place, os, nodes.kubernetes)


@derive
def karpenters_systems(
    pool: KarpenterPool,
    classes: Sequence[KarpenterClass] | None,
    stacks: Sequence[AwsStack] | None,
    clusters: Sequence[SaidCluster] | None,
) -> Iterator[PoolSystem]:
    """An alias stands for the image of its family and of the cluster's version."""
    own = [each for each in classes or () if each.name == pool.node_class]
    chosen = own[0].by_alias if len(own) == 1 and pool.auto_mode is None else None
    version = _version_of_the_cluster(stacks or (), clusters or ()) if chosen is not None else None
    if chosen is not None and version is not None and isinstance(version.state, Known):
        distribution = need(chosen)
        if distribution in EKS:
            yield PoolSystem(pool.title, chosen.place, os_of(distribution, chosen.place), version, "alias")


def _version_of_the_cluster(stacks: Sequence[AwsStack], clusters: Sequence[SaidCluster]) -> Located[str] | None:
    """None where there is none, or more than one that it could be."""
    planned = [each.get("version") for stack in stacks for each in stack.of(CLUSTER)]
    told = [each.located() for each in planned if each.text is not None or each.is_unknown]
    told += [each.version for each in clusters if each.version is not None and not each.of.isdisjoint(EKS)]
    return told[0] if len({each.shown() for each in told}) == 1 and len(planned) < 2 else None


def planned_systems(groups: Iterable[NodeGroup]) -> Iterator[PoolSystem]:
    """Of groups that are of no pool: of the others the fleet says it."""
    for group in groups:
        if group.pool is None:
            yield from _planned(group)


def _planned(group: NodeGroup) -> Iterator[PoolSystem]:
    image = image_of(group)
    named = named_by_parameter(image.named) if image is not None else None
    if named is not None and image is not None:
        os, version = Located(Known(named[0].os), image.place), Located(Known(named[1]), image.place)
        yield PoolSystem(group.title, image.place, os, version, is_named_whole=True)
    if group.group is None or group.group.type != MANAGED:
        return
    kind, of_group = group.group.get("amiType"), _version(group)
    made = named_by_type(kind.text) if kind.text else None
    if made is not None and of_group is not None:
        yield PoolSystem(group.title, kind.place, Located(Known(made.os), kind.place), of_group)


def _version(group: NodeGroup) -> Located[str] | None:
    """A managed group that says none has that of its cluster."""
    for said in (group.groups("version"), group.cluster.get("version") if group.cluster is not None else None):
        if said is not None and not said.is_absent:
            return said.located()
    return None
