"""What is made for the pools and the cluster that a fleet declares, as far as evidence says what that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.pools_by_evidence import what_follows
from nodeworthy.facts.aws.security_group import CLUSTER
from nodeworthy.facts.aws.stack import AwsStack
from nodeworthy.facts.aws.world_ports import PlannedFleet
from nodeworthy.facts.boot.script import POOL_LABEL
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster
from nodeworthy.facts.fleet.karpenter import KarpenterPool
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.fleet.model import Cluster, Fleet, Pool
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, value_if_known


@dataclass(frozen=True)
class BuiltNodes:
    called: ClassVar[str] = "nodes that are made for a declared pool"
    whole_stack: ClassVar[bool] = True

    title: str
    place: Place
    pool: Pool
    # What they are, where evidence says it, and the words that stand there.
    distribution: Located[str]
    said: str


@dataclass(frozen=True)
class UnbuiltPool:
    called: ClassVar[str] = "a declared pool that nothing in the plan makes"
    whole_stack: ClassVar[bool] = True

    pool: Pool
    place: Place
    # What may make it all the same; None where all that makes nodes was seen.
    doubt: str | None = None


@dataclass(frozen=True)
class BuiltCluster:
    called: ClassVar[str] = "the cluster that is made for a fleet"

    title: str
    place: Place
    version: Located[str]
    declared: Cluster


@derive
def built_by_group(fleet: Fleet, group: NodeGroup) -> Iterator[BuiltNodes]:
    """Where nothing says what its nodes are, the declaration is all that there is."""
    if group.pool is not None and group.pool in fleet.pools:
        follows = what_follows(group)
        if isinstance(follows.distribution.state, Known):
            yield BuiltNodes(group.resource.title, group.place, group.pool, follows.distribution, follows.evidence)


@derive
def built_by_manifest(fleet: Fleet, nodes: AskedNodes) -> Iterator[BuiltNodes]:
    yield from _built(fleet, nodes)


@derive
def built_by_karpenter(fleet: Fleet, chosen: ChosenClass) -> Iterator[BuiltNodes]:
    nodes = chosen.node_class.nodes(chosen.pool)
    if nodes is not None:
        yield from _built(fleet, nodes)


@derive
def built_by_a_clouds_karpenter(fleet: Fleet, pool: KarpenterPool) -> Iterator[BuiltNodes]:
    """Its cloud chooses the image, and no class does."""
    nodes = pool.of_auto_mode or pool.of_aks
    if nodes is not None:
        yield from _built(fleet, nodes)


def _built(fleet: Fleet, nodes: AskedNodes) -> Iterator[BuiltNodes]:
    pool = _pool_of(nodes, fleet)
    if pool is not None and isinstance(nodes.distribution.state, Known) and not nodes.is_likely:
        yield BuiltNodes(f"{nodes.noun} '{nodes.name}'", nodes.place, pool, nodes.distribution, nodes.said)


def _pool_of(nodes: AskedNodes, fleet: Fleet) -> Pool | None:
    """The pool that its nodes register with, or the one of its name; of another cluster none."""
    if nodes.cluster is not None and nodes.cluster.state != fleet.cluster.name.state:
        return None
    said = nodes.machines.labels.get(POOL_LABEL)
    named = said.shown() if said is not None else nodes.name
    return next((each for each in fleet.gpu_pools if each.name == named), None)


@derive
def unbuilt_pools(
    planned: PlannedFleet,
    groups: Sequence[NodeGroup],
    karpenter: Sequence[KarpenterPool] | None,
    unseen: Sequence[NotLookedAt] | None,
) -> Iterator[UnbuiltPool]:
    """The declared pools that a program does not make although it makes others; further programs may make further
    things."""
    made = [each.pool.name for each in groups if each.pool is not None]
    for pool in planned.fleet.gpu_pools if made else ():
        if pool.provision and pool.nodes and pool.name not in made:
            yield UnbuiltPool(pool, pool.place, next(_doubts(groups, karpenter or (), unseen or ()), None))


def _is_of(fleet: Fleet, cluster: SaidCluster) -> bool:
    return not cluster.pools and value_if_known(fleet.cluster.name) in cluster.names


def _doubts(
    groups: Sequence[NodeGroup], karpenter: Sequence[KarpenterPool], unseen: Sequence[NotLookedAt]
) -> Iterator[str]:
    yield from (each.why for each in unseen)
    yield from (f"{each.title} may be of it, as {each.no_pool}" for each in groups if each.pool is None)
    yield from (f"Karpenter's NodePool '{each.name}' may start its nodes" for each in karpenter)


@derive
def clusters_by_manifest(fleet: Fleet, said: SaidCluster) -> Iterator[BuiltCluster]:
    if _is_of(fleet, said) and said.version is not None and fleet.cluster.version.written:
        yield BuiltCluster(f"cluster '{fleet.cluster.name.shown()}'", said.place, said.version, fleet.cluster)


@derive
def built_clusters(fleet: Fleet, planned: PlannedFleet | None, stack: AwsStack) -> Iterator[BuiltCluster]:
    """The only one that a program makes, or the one that is called as the fleet's is."""
    clusters = [each for each in stack.of(CLUSTER) if not each.is_read]
    named = [each for each in clusters if Known(each.get("name").text) == fleet.cluster.name.state]
    only = clusters if planned is not None and len(clusters) == 1 else []
    for each in named or only:
        version = each.get("version")
        if fleet.cluster.version.written and (version.text is not None or version.is_unknown):
            yield BuiltCluster(each.title, each.place, version.located(), fleet.cluster)
