"""The operating system of EKS nodes and the cluster's version, as the fleet declares or a plan makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.aws.node_group import MANAGED, NodeGroup
from nodeworthy.facts.fleet.asked_nodes import AskedNodes
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.os import EKS, os_of
from nodeworthy.known.node_images import named_by_parameter, named_by_type
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown


@dataclass(frozen=True)
class PoolSystem:
    called: ClassVar[str] = "a pool of EKS nodes"

    title: str
    place: Place
    os: Located[str]
    kubernetes: Located[str]


def pool_systems(fleet: Fleet) -> Iterator[PoolSystem]:
    """Of the pools that EKS' own images are for, as far as that is known."""
    for pool in fleet.pools:
        distribution = pool.distribution.state
        if isinstance(distribution, Unknown) or distribution.value in EKS:
            yield PoolSystem(f"pool '{pool.name}'", pool.place, pool.os, fleet.cluster.version)


@derive
def asked_systems(nodes: AskedNodes) -> Iterator[PoolSystem]:
    """Of groups that eksctl makes: it asks for an image of its family and of the cluster's version."""
    state = nodes.distribution.state
    if nodes.kubernetes is not None and isinstance(state, Known) and state.value in EKS:
        os = os_of(state.value, nodes.distribution.place)
        yield PoolSystem(f"{nodes.noun} '{nodes.name}'", nodes.distribution.place, os, nodes.kubernetes)


def planned_systems(groups: Iterable[NodeGroup]) -> Iterator[PoolSystem]:
    """Of groups that are of no pool: of the others the fleet says it."""
    for group in groups:
        if group.pool is None:
            yield from _planned(group)


def _planned(group: NodeGroup) -> Iterator[PoolSystem]:
    image = group.templates("imageId")
    named = named_by_parameter(image.text) if image.text else None
    if named is not None:
        os, version = Located(Known(named[0].os), image.place), Located(Known(named[1]), image.place)
        yield PoolSystem(group.title, image.place, os, version)
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
